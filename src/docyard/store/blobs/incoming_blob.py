"""A file on its way into the blob store: written to a temporary name, synced, then renamed to its hash."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import PurePosixPath
from uuid import uuid4

from docyard.store.blobs.folder_errors import explain_errors

ARRIVING = "arriving"  # the subfolder for incomplete files


class IncomingBlob:
    """A file being received; it is not stored until `FolderBlobs.store` has synced it to disk.

    All paths are relative to the folder that is open as `root`. The file therefore ends up in the store that it
    was begun in, even if the store is unmounted or replaced meanwhile.
    """

    def __init__(self, root: int) -> None:
        self._root: int | None = root  # closed by this object
        self._name = f"{ARRIVING}/incoming-{uuid4().hex}"
        self._hash = hashlib.sha256()
        self.size = 0
        try:
            with explain_errors():
                _create_folder(root, ARRIVING, mode=0o700)
                handle = os.open(self._name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=root)
        except BaseException:
            self._close_root()
            raise
        self._file = os.fdopen(handle, "wb")

    def write(self, data: bytes) -> None:
        """Append bytes."""
        with explain_errors():
            self._file.write(data)
        self._hash.update(data)
        self.size += len(data)

    @property
    def sha256(self) -> str:
        """The hash of the bytes received so far."""
        return self._hash.hexdigest()

    def store_as(self, target: PurePosixPath) -> None:
        """Sync the file to disk and rename it; a file with the same content is replaced."""
        root = self._root
        if root is None:
            raise ValueError("This file has already been stored or discarded.")
        with explain_errors():
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            for folder in reversed(target.parents[:-1]):
                _create_folder(root, str(folder))
            os.rename(self._name, target, src_dir_fd=root, dst_dir_fd=root)
            _sync_folder(root, str(target.parent))
        self._close_root()

    def discard(self) -> None:
        """Delete the received bytes, even if closing the file fails, as on a full disk; safe to call at any time."""
        with contextlib.suppress(OSError):
            self._file.close()
        if self._root is not None:
            with contextlib.suppress(OSError):  # an abandoned file is deleted after a day
                os.unlink(self._name, dir_fd=self._root)
            self._close_root()

    def _close_root(self) -> None:
        if self._root is not None:
            os.close(self._root)
            self._root = None


def _create_folder(root: int, folder: str, mode: int = 0o777) -> None:
    """Create a folder in an existing one, and sync its directory entry to disk."""
    try:
        os.mkdir(folder, mode, dir_fd=root)
    except FileExistsError:
        return
    _sync_folder(root, str(PurePosixPath(folder).parent))


def _sync_folder(root: int, folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY, dir_fd=root)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
