"""The files that the paths of a command refer to."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path


def find_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the given files and, sorted, the files below the given folders.

    Below a folder, links and hidden files and folders are skipped. A folder that cannot be read is yielded
    itself, so that opening it reports the error.
    """
    for path in paths:
        if path.is_dir():
            yield from sorted(_walk(path))
        else:
            yield path


def _walk(folder: Path) -> Iterator[Path]:
    errors: list[OSError] = []
    for parent, folders, names in os.walk(folder, onerror=errors.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        visible = (Path(parent, name) for name in names if not name.startswith("."))
        yield from (path for path in visible if _is_file(path))
    yield from (Path(error.filename) for error in errors if error.filename)


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return True  # cannot be inspected; opening it reports the error
