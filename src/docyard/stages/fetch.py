"""Fetch: check that the original exists and is unchanged, and detect its type from its content."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

from docyard.errors import Reject, Retry
from docyard.model.stage_values import FetchedFile, Source
from docyard.model.stages import Stage, StageInput
from docyard.readers.file_types import detect_media_type


def run(inputs: StageInput) -> FetchedFile:
    """Read the whole file once, check its size and hash, and detect its type."""
    source = inputs.get(Source)
    try:
        mode = source.path.stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # reading a pipe or a device may never end
            raise Reject("not_found", "The stored file is not a regular file.")
        size, sha256 = _measure(source.path)
        _check(source, size, sha256)
        return FetchedFile(detect_media_type(source.path, source.name), size, sha256)
    except PermissionError as error:
        raise Reject("unauthorized", "The stored file cannot be read: permission denied.") from error
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise Reject("not_found", "The stored file is missing.") from error
    except OSError as error:
        raise Retry("storage", f"The stored file cannot be read: {error.strerror or error}.") from error


def _measure(path: Path) -> tuple[int, str]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        return file.tell(), digest.hexdigest()


def _check(source: Source, size: int, sha256: str) -> None:
    if source.size is not None and size != source.size:
        raise Reject("corrupt", f"The stored file has {size:,} bytes, but {source.size:,} were received.")
    if size == 0:
        raise Reject("empty", "The file is empty.")
    if source.sha256 is not None and sha256 != source.sha256.lower():
        raise Reject("corrupt", "The stored file has changed since it was received.")


STAGE = Stage(
    name="fetch",
    version=2,
    resource="cpu",
    inputs=(Source,),
    output=FetchedFile,
    run=run,
    label="Fetch",
    activity="Checking the file",
    required=True,
)
