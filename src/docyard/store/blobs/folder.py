"""A blob store in a folder: files are written to a temporary name, synced, then renamed to their hash."""

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
_ABANDONED_AFTER = 24 * 3600  # seconds since the last change


class IncomingBlob:
    """A file being received; it is not stored until `FolderBlobs.store` has synced it to disk."""

    def __init__(self, folder: Path) -> None:
        handle, name = tempfile.mkstemp(dir=folder, prefix="incoming-")
        self._file = os.fdopen(handle, "wb")
        self._path = Path(name)
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> None:
        """Append bytes."""
        self._file.write(data)
        self._hash.update(data)
        self.size += len(data)

    @property
    def sha256(self) -> str:
        """The hash of the bytes received so far."""
        return self._hash.hexdigest()

    def store_as(self, target: Path) -> None:
        """Sync the file to disk and rename it; a file with the same content is replaced."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        _create_folder(target.parent)
        self._path.replace(target)
        _sync_folder(target.parent)

    def discard(self) -> None:
        """Delete the received bytes, even if closing the file fails, as on a full disk."""
        try:
            self._file.close()
        finally:
            self._path.unlink(missing_ok=True)


class FolderBlobs:
    """A blob store in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._arriving = folder / "arriving"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._arriving.mkdir(exist_ok=True, mode=0o700)

    def receive(self) -> IncomingBlob:
        """Start receiving a file."""
        return IncomingBlob(self._arriving)

    def store(self, workspace_id: UUID, blob: IncomingBlob) -> str:
        """Store a received file and return its key."""
        key = f"{workspace_id}/{blob.sha256}"
        blob.store_as(self._path(key))
        return key

    def put(self, workspace_id: UUID, data: bytes) -> str:
        """Store bytes, such as a rendition, and return their key."""
        blob = self.receive()
        try:
            blob.write(data)
            return self.store(workspace_id, blob)
        except BaseException:
            blob.discard()
            raise

    @contextmanager
    def open_path(self, key: str) -> Iterator[Path]:
        """Yield the path of a blob, valid within the context; the file must not be modified."""
        path = self._path(key)
        if not path.is_file():
            raise NotFound("The file is missing from the blob store.")
        yield path

    def exists(self, key: str) -> bool:
        """Return whether the blob exists."""
        return self._path(key).is_file()

    def delete_abandoned(self, now: float) -> int:
        """Delete incoming files that have not changed for a day; return their number."""
        old = [path for path in self._arriving.iterdir() if now - _modified_at(path, now) > _ABANDONED_AFTER]
        for path in old:
            path.unlink(missing_ok=True)
        return len(old)

    def _path(self, key: str) -> Path:
        # External programs can write keys to the tables, so an invalid key must not become a path.
        if not _KEY.match(key):
            raise NotFound("The blob key is not valid.")
        workspace, _, sha256 = key.partition("/")
        return self._folder / workspace / sha256[:2] / sha256


def _modified_at(path: Path, default: float) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return default  # the file was stored or deleted meanwhile


def _create_folder(folder: Path) -> None:
    """Create a folder and its parents, and sync their directory entries to disk."""
    if not folder.is_dir():
        _create_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
