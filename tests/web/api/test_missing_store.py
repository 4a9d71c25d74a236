"""Uploads and downloads while the blob store is away or its disk is full."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from docyard.cli.run.samples import make_text_pdf
from docyard.db import Database
from docyard.model.stage_values import FetchedFile
from docyard.store import documents, results
from docyard.store.blobs import FolderBlobs
from docyard.store.renditions import save_rendition
from docyard.web.context import Web
from tests.builders.small_disk import fill_disk, mount_small_disk
from tests.web.site import Client, Library, open_client, run_site, sign_in

_DOCUMENTS = "/api/v1/documents"


def _count_documents(database: Database) -> int:
    with database.transaction() as conn:
        row = conn.execute("SELECT count(*) AS n FROM documents").fetchone()
    return int((row or {})["n"])


def _unmount(blobs: FolderBlobs) -> None:
    blobs.folder.rename(blobs.folder.with_name("share"))
    blobs.folder.mkdir()


def test_refuses_uploads_while_the_store_is_away(editor: Client, blobs: FolderBlobs, database: Database) -> None:
    _unmount(blobs)
    answer = editor.upload(("a.txt", b"one"), ("b.txt", b"two"))
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "5"
    assert answer.json()["error"].startswith("a.txt: The file store is not available.")
    form = editor.upload(("c.txt", b"three"), path="/documents")
    assert form.status_code == 303
    assert _count_documents(database) == 0
    assert list(blobs.folder.iterdir()) == []


def test_downloads_are_unavailable_while_the_store_is_away(
    editor: Client, shelf: Library, workspace: UUID, blobs: FolderBlobs, database: Database
) -> None:
    document = shelf.add_document(workspace, "contract.pdf", make_text_pdf(["Signed."]))
    with database.transaction() as conn:
        results.save_fetched(conn, document, FetchedFile("application/pdf", 1, "0" * 64))
    _unmount(blobs)
    for path in (f"/documents/{document}/original", f"/documents/{document}/pages/1.png"):
        answer = editor.get(path)
        assert answer.status_code == 503
        assert "The file store is not available. Please try again in a moment." in answer.text


def _add_completed(shelf: Library, workspace: UUID) -> tuple[UUID, str]:
    """Add a completed document; return its id and the key of its file."""
    document = shelf.add_processed(workspace, "a.txt", "one")
    with shelf.database.transaction() as conn:
        key = documents.get_document(conn, document).blob_key
    assert key
    return document, key


def _delete_file(blobs: FolderBlobs, key: str) -> None:
    with blobs.open_path(key) as path:
        path.unlink()


def _fetch_state(database: Database) -> list[list[dict[str, Any]]]:
    queries = ("SELECT * FROM documents", "SELECT * FROM pages", "SELECT * FROM stage_results", "SELECT * FROM jobs")
    with database.transaction() as conn:
        return [conn.execute(query).fetchall() for query in queries]


def test_a_document_whose_file_is_missing_is_not_processed_again(
    editor: Client, shelf: Library, workspace: UUID, blobs: FolderBlobs, database: Database
) -> None:
    document, key = _add_completed(shelf, workspace)
    _delete_file(blobs, key)
    before = _fetch_state(database)
    answer = editor.call("POST", f"{_DOCUMENTS}/{document}/reprocess")
    assert answer.status_code == 400
    assert answer.json()["error"] == (
        "The stored file of a.txt is missing, so it cannot be processed again. Upload the file again to restore it."
    )
    assert editor.post(f"/documents/{document}/reprocess").status_code == 400
    assert _fetch_state(database) == before
    assert editor.upload(("a.txt", b"one")).json()["documents"][0]["status"] == "duplicate"
    assert editor.call("POST", f"{_DOCUMENTS}/{document}/reprocess").json()["success"]


def test_no_document_is_processed_again_while_the_store_is_away(
    editor: Client, shelf: Library, workspace: UUID, blobs: FolderBlobs, database: Database
) -> None:
    document, _ = _add_completed(shelf, workspace)
    _unmount(blobs)
    before = _fetch_state(database)
    answer = editor.call("POST", f"{_DOCUMENTS}/{document}/reprocess")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.json()["error"].startswith("The file store is not available.")
    assert _fetch_state(database) == before


def test_a_document_whose_unlocked_copy_is_missing_is_not_processed_again(
    editor: Client, shelf: Library, workspace: UUID, blobs: FolderBlobs, database: Database
) -> None:
    document, _ = _add_completed(shelf, workspace)
    copy = blobs.put(workspace, b"unlocked")
    with database.transaction() as conn:
        save_rendition(conn, document, workspace, kind="unlocked", page=0, blob_key=copy, media_type="application/pdf")
    _delete_file(blobs, copy)
    assert editor.call("POST", f"{_DOCUMENTS}/{document}/reprocess").status_code == 400


@pytest.fixture
def cramped(web: Web, database: Database, workspace: UUID, tmp_path: Path) -> Iterator[tuple[Client, FolderBlobs]]:
    """An editor of a site whose store is on a disk of 256 kB, and the store."""
    with mount_small_disk(tmp_path / "disk", 256) as disk:
        blobs = FolderBlobs(disk / "blobs", uuid4())
        blobs.create()
        site = replace(web, blobs=blobs)
        session = sign_in(database, "editor@example.org", workspace, "editor")
        with run_site(site) as address, (client := open_client(site, address, session)).http:
            yield client, blobs


def test_a_full_disk_answers_507_and_records_nothing(cramped: tuple[Client, FolderBlobs], database: Database) -> None:
    editor, blobs = cramped
    answer = editor.upload(("large.bin", b"x" * 600_000))
    assert answer.status_code == 507
    assert "There is no space left on the device that stores the data. Nothing was saved." in answer.json()["error"]
    assert _count_documents(database) == 0
    assert list((blobs.folder / "arriving").iterdir()) == []
    assert editor.upload(("small.txt", b"It fits again.")).status_code == 201


def test_a_page_image_is_shown_although_it_cannot_be_stored(
    cramped: tuple[Client, FolderBlobs], database: Database, workspace: UUID
) -> None:
    editor, blobs = cramped
    document = UUID(editor.upload(("contract.pdf", make_text_pdf(["Signed."]))).json()["documents"][0]["documentId"])
    with database.transaction() as conn:
        results.save_fetched(conn, document, FetchedFile("application/pdf", 1, "0" * 64))
    fill_disk(blobs.folder)
    image = editor.get(f"/documents/{document}/pages/1.png")
    assert image.status_code == 200
    assert image.content.startswith(b"\x89PNG")
