"""A blob store in a folder, with a marker that tells it from an empty mount point and from other stores."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from uuid import UUID

from docyard.errors import Failure, NotFound, StoreUnavailable, Wait, WrongStore
from docyard.store.blobs.folder_errors import explain_errors
from docyard.store.blobs.incoming_blob import ARRIVING, IncomingBlob
from docyard.store.blobs.marker import read_marker, write_marker
from docyard.store.blobs.read_check import ReadCheck

_KEY = re.compile(r"^[0-9a-f-]{36}/[0-9a-f]{64}$")
_ABANDONED_AFTER = 24 * 3600  # seconds since the last change


class FolderBlobs:
    """A blob store in one folder; without the marker of `store_id` it is unavailable."""

    def __init__(self, folder: Path, store_id: UUID | None = None) -> None:
        self.folder = folder
        self._store_id = store_id
        self._read_check = ReadCheck()

    def with_id(self, store_id: UUID) -> FolderBlobs:
        """Return the store in the same folder with this id."""
        return FolderBlobs(self.folder, store_id)

    def create(self) -> None:
        """Create the folder and the marker."""
        if self._store_id is None:
            raise ValueError("A store without an id cannot be created.")
        with explain_errors():
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            root = self._open_folder()
            try:
                write_marker(root, self._store_id)
            finally:
                os.close(root)

    def read_id(self) -> UUID | None:
        """Return the id in the marker; None if the folder or its marker is missing."""
        try:
            with explain_errors():
                root = self._open_folder()
        except StoreUnavailable as error:
            if isinstance(error.__cause__, FileNotFoundError):
                return None
            raise
        try:
            with explain_errors():
                return read_marker(root)
        finally:
            os.close(root)

    def check(self) -> None:
        """Raise StoreUnavailable if the store is unavailable, and WrongStore if it is another one."""
        with self._open_root():
            pass

    def receive(self) -> IncomingBlob:
        """Start receiving a file."""
        with self._open_root() as root:
            return IncomingBlob(os.dup(root))

    def store(self, workspace_id: UUID, blob: IncomingBlob) -> str:
        """Store a received file and return its key."""
        key = f"{workspace_id}/{blob.sha256}"
        blob.store_as(_get_path(key))
        return key

    def put(self, workspace_id: UUID, data: bytes) -> str:
        """Store bytes, such as a rendition, and return their key."""
        blob = self.receive()
        try:
            blob.write(data)
            return self.store(workspace_id, blob)
        finally:
            blob.discard()

    @contextmanager
    def open_path(self, key: str) -> Iterator[Path]:
        """Yield the path of a blob, valid within the context; the file must not be modified.

        Raise NotFound if the file is missing, and StoreUnavailable if the store is.
        """
        if not self.exists(key):
            raise NotFound("The file is missing from the blob store.")
        path = self.folder / _get_path(key)
        with self.explain_failures(key):
            self._read_check.check(key, path)
            yield path

    @contextmanager
    def explain_failures(self, key: str) -> Iterator[None]:
        """Raise StoreUnavailable instead of a failure to read a blob while the store is unavailable."""
        try:
            yield
        except (Failure, OSError) as error:
            if isinstance(error, Wait):
                raise
            found = self._look_up(key)  # raises StoreUnavailable if the store is still away
            missing = isinstance(error, FileNotFoundError) or getattr(error, "category", None) == "not_found"
            if found and missing:
                raise StoreUnavailable("The file store was not available for a moment.") from error
            raise

    def exists(self, key: str) -> bool:
        """Return whether the blob exists; raise StoreUnavailable if the store is unavailable."""
        try:
            if (self.folder / _get_path(key)).is_file():
                return True
        except OSError:
            pass  # explained below
        return self._look_up(key)

    def holds_any(self, keys: Iterable[str]) -> bool:
        """Return whether one of these blobs exists; the marker is not checked."""
        with explain_errors():
            return any((self.folder / _get_path(key)).is_file() for key in keys)

    def delete_abandoned(self, now: float) -> int:
        """Delete incoming files that have not changed for a day; return their number."""
        with self._open_root() as root, explain_errors():
            names = _list_names(root, ARRIVING)
            old = [name for name in names if now - _modified_at(root, name, now) > _ABANDONED_AFTER]
            for name in old:
                with contextlib.suppress(FileNotFoundError):  # another worker was faster
                    os.unlink(name, dir_fd=root)
        return len(old)

    def _look_up(self, key: str) -> bool:
        """Return whether the blob exists in the store with the right marker."""
        with self._open_root() as root, explain_errors():
            try:
                return stat.S_ISREG(os.stat(_get_path(key), dir_fd=root).st_mode)
            except (FileNotFoundError, NotADirectoryError):
                return False
            except PermissionError:
                return True  # the reader reports that it may not read the file

    @contextmanager
    def _open_root(self) -> Iterator[int]:
        """Check the marker and yield a descriptor of the folder, which stays the same if another one is mounted."""
        with explain_errors():
            root = self._open_folder()
        try:
            with explain_errors():
                found = read_marker(root)
            if found is None or self._store_id is None:
                raise StoreUnavailable("The file store is not available: its marker is missing. Is the share mounted?")
            if found != self._store_id:
                raise WrongStore
            yield root
        finally:
            os.close(root)

    def _open_folder(self) -> int:
        return os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)


def _get_path(key: str) -> PurePosixPath:
    # External programs can write keys to the tables, so an invalid key must not become a path.
    if not _KEY.match(key):
        raise NotFound("The blob key is not valid.")
    workspace, _, sha256 = key.partition("/")
    return PurePosixPath(workspace, sha256[:2], sha256)


def _list_names(root: int, folder: str) -> list[str]:
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY, dir_fd=root)
    except FileNotFoundError:
        return []
    try:
        return [f"{folder}/{name}" for name in os.listdir(handle)]  # noqa: PTH208 (pathlib has no descriptors)
    finally:
        os.close(handle)


def _modified_at(root: int, name: str, default: float) -> float:
    try:
        return os.stat(name, dir_fd=root).st_mtime
    except FileNotFoundError:
        return default  # the file was stored or deleted meanwhile
