"""A blob store in a folder: a missing store is not a missing file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from docyard.errors import NotFound, Reject, Retry, StoreUnavailable, Wait, WrongStore
from docyard.store.blobs import FolderBlobs

_WORKSPACE = UUID(int=1)
_MISSING = f"{_WORKSPACE}/{'0' * 64}"


def test_tells_a_missing_file_from_a_missing_store(blobs: FolderBlobs) -> None:
    key = blobs.put(_WORKSPACE, b"bytes")
    assert not blobs.exists(_MISSING)
    with pytest.raises(NotFound), blobs.open_path(_MISSING):
        pass
    _unmount(blobs)
    for lost in (key, _MISSING):
        with pytest.raises(StoreUnavailable, match="marker is missing"):
            blobs.exists(lost)
        with pytest.raises(StoreUnavailable, match="marker is missing"), blobs.open_path(lost):
            pass


def test_is_unavailable_without_its_folder(blobs: FolderBlobs) -> None:
    blobs.folder.rename(blobs.folder.with_name("gone"))
    with pytest.raises(StoreUnavailable, match="No such file or directory"):
        blobs.exists(_MISSING)
    with pytest.raises(StoreUnavailable):
        blobs.put(_WORKSPACE, b"bytes")
    assert not blobs.folder.exists()


def test_refuses_the_store_of_another_installation(blobs: FolderBlobs) -> None:
    blobs.with_id(uuid4()).create()
    with pytest.raises(WrongStore, match="another installation"):
        blobs.check()
    with pytest.raises(StoreUnavailable):
        blobs.put(_WORKSPACE, b"bytes")


def test_writes_nothing_to_an_empty_mount_point(blobs: FolderBlobs) -> None:
    _unmount(blobs)
    with pytest.raises(StoreUnavailable):
        blobs.receive()
    with pytest.raises(StoreUnavailable):
        blobs.delete_abandoned(0.0)
    assert list(blobs.folder.iterdir()) == []


def test_a_file_arrives_in_the_store_in_which_it_was_begun(blobs: FolderBlobs) -> None:
    incoming = blobs.receive()
    incoming.write(b"first half, ")
    _unmount(blobs)
    incoming.write(b"second half")
    key = blobs.store(_WORKSPACE, incoming)
    assert list(blobs.folder.iterdir()) == []
    _mount(blobs)
    with blobs.open_path(key) as path:
        assert path.read_bytes() == b"first half, second half"
    assert list((blobs.folder / "arriving").iterdir()) == []


def test_blames_the_store_for_failures_while_it_is_away(blobs: FolderBlobs) -> None:
    key = blobs.put(_WORKSPACE, b"bytes")
    for failure in (Reject("corrupt", "cannot open"), Retry("internal", "FileNotFoundError"), OSError(5, "I/O")):
        with pytest.raises(StoreUnavailable):
            _fail_in(blobs, key, failure, lambda _: _unmount(blobs))
        _mount(blobs)
    with pytest.raises(Wait), blobs.open_path(key):
        raise Wait("rate_limit", "Too many requests.")


def test_blames_the_store_for_files_that_cannot_be_read(blobs: FolderBlobs) -> None:
    keys = [blobs.put(_WORKSPACE, data) for data in (b"one", b"two")]
    with _unreadable(blobs, *keys):
        for _ in range(5):
            for key in keys:
                with pytest.raises(StoreUnavailable, match="Input/output error"), blobs.open_path(key):
                    pass
    for key in keys:
        with blobs.open_path(key) as path:
            assert path.read_bytes()


def test_blames_a_file_that_cannot_be_read_while_others_can(blobs: FolderBlobs) -> None:
    bad, good = (blobs.put(_WORKSPACE, data) for data in (b"bad", b"good"))
    with _unreadable(blobs, bad):
        for _ in range(2):
            with pytest.raises(StoreUnavailable), blobs.open_path(bad):
                pass
            with blobs.open_path(good):
                pass
        with pytest.raises(OSError, match="Input/output error"), blobs.open_path(bad) as path:
            path.read_bytes()


@contextmanager
def _unreadable(blobs: FolderBlobs, *keys: str) -> Iterator[None]:
    """Replace files by links to one that the kernel refuses to read with EIO."""
    for key in keys:
        path = _find_file(blobs, key)
        path.rename(path.with_suffix(".kept"))
        path.symlink_to("/proc/self/mem")
    yield
    for key in keys:
        path = _find_file(blobs, key)
        path.with_suffix(".kept").replace(path)


def _find_file(blobs: FolderBlobs, key: str) -> Path:
    workspace, _, sha256 = key.partition("/")
    return blobs.folder / workspace / sha256[:2] / sha256


def test_blames_the_store_for_a_missing_file_that_is_back(blobs: FolderBlobs) -> None:
    key = blobs.put(_WORKSPACE, b"bytes")
    for failure in (Reject("not_found", "The stored file is missing."), FileNotFoundError()):
        with pytest.raises(StoreUnavailable, match="for a moment"), blobs.open_path(key):
            raise failure


def test_keeps_other_failures(blobs: FolderBlobs) -> None:
    key = blobs.put(_WORKSPACE, b"bytes")
    with pytest.raises(Reject, match="damaged"), blobs.open_path(key):
        raise Reject("corrupt", "The file is damaged.")
    with pytest.raises(Reject, match="is missing"):
        _fail_in(blobs, key, Reject("not_found", "The stored file is missing."), Path.unlink)


def test_leaves_no_descriptor_open(blobs: FolderBlobs) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    key = blobs.put(_WORKSPACE, b"bytes")
    blobs.receive().discard()
    assert not blobs.exists(_MISSING)
    with blobs.open_path(key):
        _unmount(blobs)
    with pytest.raises(StoreUnavailable):
        blobs.receive()
    _mount(blobs)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def _unmount(blobs: FolderBlobs) -> None:
    """Put an empty folder in the place of the store."""
    blobs.folder.rename(blobs.folder.with_name("share"))
    blobs.folder.mkdir()


def _mount(blobs: FolderBlobs) -> None:
    blobs.folder.rmdir()
    blobs.folder.with_name("share").rename(blobs.folder)


def _fail_in(blobs: FolderBlobs, key: str, error: Exception, act: Callable[[Path], object]) -> None:
    with blobs.open_path(key) as path:
        act(path)
        raise error
