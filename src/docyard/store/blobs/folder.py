"""Blobs in a folder: written aside, made durable, then moved into place under their hash."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from docyard.errors import NotFound

_KEY = re.compile(r"^[0-9a-f-]{36}/[0-9a-f]{64}$")
_ABANDONED_AFTER = 24 * 3600  # seconds


class IncomingBlob:
    """A file that is arriving; it counts only once `keep` has made it durable."""

    def __init__(self, folder: Path) -> None:
        handle, name = tempfile.mkstemp(dir=folder, prefix="incoming-")
        self._file = os.fdopen(handle, "wb")
        self._path = Path(name)
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> None:
        """Take the next bytes."""
        self._file.write(data)
        self._hash.update(data)
        self.size += len(data)

    @property
    def sha256(self) -> str:
        """The hash of what has arrived so far."""
        return self._hash.hexdigest()

    def keep_as(self, target: Path) -> None:
        """Make the bytes durable under their final name; the same content arriving twice is one file."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        _make_durable(target.parent)
        self._path.replace(target)
        _sync_folder(target.parent)

    def discard(self) -> None:
        """Forget what has arrived; a full disk must not keep the rest."""
        try:
            self._file.close()
        finally:
            self._path.unlink(missing_ok=True)


class FolderBlobs:
    """A blob store in one folder; its verbs are those of every blob store."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._arriving = folder / "arriving"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._arriving.mkdir(exist_ok=True, mode=0o700)

    def incoming(self) -> IncomingBlob:
        """Begin to receive a file."""
        return IncomingBlob(self._arriving)

    def keep(self, workspace_id: UUID, blob: IncomingBlob) -> str:
        """Keep an arrived file and give its key."""
        key = f"{workspace_id}/{blob.sha256}"
        blob.keep_as(self._path(key))
        return key

    def put(self, workspace_id: UUID, data: bytes) -> str:
        """Keep bytes that are already here, such as a rendition."""
        blob = self.incoming()
        try:
            blob.write(data)
            return self.keep(workspace_id, blob)
        except BaseException:
            blob.discard()
            raise

    @contextmanager
    def local(self, key: str) -> Iterator[Path]:
        """A path at which the blob can be read while inside; never to be written to."""
        path = self._path(key)
        if not path.is_file():
            raise NotFound("The file is not in the blob store.")
        yield path

    def exists(self, key: str) -> bool:
        """Whether the blob is here."""
        return self._path(key).is_file()

    def sweep(self, now: float) -> int:
        """Remove what uploads left behind that broke off without a word; gives how many."""
        old = [path for path in self._arriving.iterdir() if now - _changed_at(path, now) > _ABANDONED_AFTER]
        for path in old:
            path.unlink(missing_ok=True)
        return len(old)

    def _path(self, key: str) -> Path:
        # Keys come from our own tables, but a row may be written by anyone with SQL: nothing else is a path.
        if not _KEY.match(key):
            raise NotFound("This is not a key of the blob store.")
        workspace, _, sha256 = key.partition("/")
        return self._folder / workspace / sha256[:2] / sha256


def _changed_at(path: Path, otherwise: float) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return otherwise  # it has just been kept


def _make_durable(folder: Path) -> None:
    """Make a folder whose own entry survives a power cut."""
    if not folder.is_dir():
        _make_durable(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
