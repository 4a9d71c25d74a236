"""The id of the blob store: recorded once, and never for an empty mount point."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from docyard.db import Database
from docyard.errors import StoreUnavailable, WrongStore
from docyard.intake import Arrival, receive
from docyard.model.limits import Limits
from docyard.store.blobs import FolderBlobs, find_store_id, open_store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that does not exist yet."""
    return tmp_path / "store"


def _open(database: Database, folder: Path) -> FolderBlobs:
    with database.transaction() as conn:
        return open_store(conn, FolderBlobs(folder))


def _add_document(database: Database, blobs: FolderBlobs, workspace: UUID) -> None:
    receive(database, blobs, Limits(), Arrival(workspace, "note.txt", "upload"), [b"A note."])


def _forget_store(database: Database) -> None:
    """Make the installation one of a version without markers."""
    with database.transaction() as conn:
        conn.execute("DELETE FROM blob_store")


def test_the_first_use_creates_the_store(database: Database, folder: Path) -> None:
    _open(database, folder).check()
    _open(database, folder).check()
    with database.transaction() as conn:
        assert FolderBlobs(folder).read_id() == find_store_id(conn) is not None


def test_concurrent_first_uses_agree(database: Database, folder: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        for blobs in threads.map(lambda _: _open(database, folder), range(8)):
            blobs.check()


def test_never_marks_an_empty_folder_again(database: Database, folder: Path) -> None:
    _open(database, folder)
    folder.rename(folder.with_name("share"))
    folder.mkdir()
    with pytest.raises(StoreUnavailable, match="marker is missing"):
        _open(database, folder).check()
    assert list(folder.iterdir()) == []


def test_refuses_another_store(database: Database, folder: Path) -> None:
    _open(database, folder)
    FolderBlobs(folder, uuid4()).create()
    with pytest.raises(WrongStore):
        _open(database, folder).check()


def test_adopts_the_store_of_an_earlier_version(database: Database, folder: Path, workspace: UUID) -> None:
    _add_document(database, _open(database, folder), workspace)
    _forget_store(database)
    (folder / "docyard-store").unlink()
    _open(database, folder).check()


def test_does_not_adopt_a_store_without_known_files(database: Database, folder: Path, workspace: UUID) -> None:
    _add_document(database, _open(database, folder), workspace)
    _forget_store(database)
    folder.rename(folder.with_name("share"))
    folder.mkdir()
    with pytest.raises(StoreUnavailable, match="none of the files that the database knows"):
        _open(database, folder)
    assert list(folder.iterdir()) == []
    with database.transaction() as conn:
        assert find_store_id(conn) is None


def test_completes_a_first_use_that_was_interrupted(database: Database, folder: Path) -> None:
    earlier = FolderBlobs(folder, uuid4())
    earlier.create()
    _open(database, folder).check()
    earlier.check()
