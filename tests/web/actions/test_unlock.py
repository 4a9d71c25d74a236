"""Unlocking of documents; the password is not stored."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

from docyard.db import Database
from docyard.errors import Reject
from docyard.model.stage_values import ExtractedText, FetchedFile
from docyard.readers.pdf import decryption as pdf_unlock
from docyard.readers.pdf import reader as pdf
from docyard.store import documents, results
from tests.builders.pdf.pdfs import PdfPage, make_pdf
from tests.web.site import Client, Library

PASSWORD = "quince-marmalade"
LOCKED = make_pdf([PdfPage(["Opened at last"])], password=PASSWORD)


@pytest.fixture
def locked(shelf: Library, workspace: UUID, database: Database) -> UUID:
    """A PDF that failed because it needs a password."""
    document = shelf.add_document(workspace, "sealed.pdf", LOCKED)
    with database.transaction() as conn:
        results.save_fetched(conn, document, FetchedFile("application/pdf", len(LOCKED), "0" * 64))
        documents.mark_failed(conn, document, 1.0, category="encrypted", reason="The PDF needs a password.")
        conn.execute("DELETE FROM jobs WHERE document_id = %s", (document,))
    return document


def test_unlocked_copy_needs_no_password(tmp_path: Path) -> None:
    path, copy = tmp_path / "sealed.pdf", tmp_path / "copy.pdf"
    path.write_bytes(LOCKED)
    with pytest.raises(Reject, match="needs a password"):
        pdf.read(path, 10)
    with pytest.raises(Reject, match="does not open") as caught:
        pdf_unlock.decrypt_pdf(path, "wrong")
    assert (caught.value.category, caught.value.__cause__) == ("encrypted", None)
    copy.write_bytes(pdf_unlock.decrypt_pdf(path, PASSWORD))
    assert pdf.read(copy, 10).pages[0].text == "Opened at last"
    assert path.read_bytes() == LOCKED


def test_right_password_queues_the_document_and_allows_page_images(
    editor: Client, locked: UUID, database: Database, workspace: UUID
) -> None:
    assert 'type="password"' in editor.get(f"/documents/{locked}").text
    assert editor.post(f"/api/v1/documents/{locked}/unlock", password="wrong").status_code == 422
    assert editor.post(f"/documents/{locked}/unlock", password="wrong").status_code == 303
    assert "This password does not open the PDF." in editor.get(f"/documents/{locked}").text
    assert fetch(database, "SELECT 1 FROM renditions") == []
    assert editor.post(f"/api/v1/documents/{locked}/unlock", password=PASSWORD).json() == {"success": True}
    assert fetch(database, "SELECT kind, page FROM renditions") == [{"kind": "unlocked", "page": 0}]
    assert fetch(database, "SELECT stage FROM jobs WHERE document_id = %s", locked) == [{"stage": "fetch"}]
    assert 'type="password"' not in editor.get(f"/documents/{locked}").text
    assert editor.get(f"/documents/{locked}/original").content == LOCKED
    with database.transaction() as saving:
        results.save_extracted(saving, locked, workspace, ExtractedText(()))
    assert editor.get(f"/documents/{locked}/pages/1.png").content.startswith(b"\x89PNG")


def test_password_is_not_stored_or_logged(
    editor: Client, locked: UUID, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    editor.post(f"/documents/{locked}/unlock", password=PASSWORD)
    tables = fetch(
        database, "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
    )
    for table in tables:
        query = f"SELECT 1 FROM {table['relname']} t WHERE t::text LIKE %s"  # noqa: S608 (a table name from the catalog)
        assert fetch(database, query, f"%{PASSWORD}%") == []
    out, err = capsys.readouterr()
    assert PASSWORD not in out + err


def test_no_password_form_for_formats_that_cannot_be_unlocked(editor: Client, locked: UUID, database: Database) -> None:
    fetch(database, "UPDATE documents SET media_type = 'application/x-ole-storage' RETURNING 1")
    page = editor.get(f"/documents/{locked}").text
    assert 'type="password"' not in page
    assert "save a copy without a password" in page
    assert editor.post(f"/api/v1/documents/{locked}/unlock", password=PASSWORD).status_code == 400


def test_locked_document_offers_no_retry(editor: Client, locked: UUID) -> None:
    for page in (editor.get(f"/documents/{locked}").text, editor.get("/").text):
        assert "Needs a password" in page
        assert f"/documents/{locked}/retry" not in page
    assert editor.get(f"/api/v1/documents/{locked}").json()["state"]["action"] is None


def test_refuses_password_for_unlocked_document(editor: Client, shelf: Library, workspace: UUID) -> None:
    document = shelf.add_processed(workspace, "plain.txt", "No secrets.")
    assert editor.post(f"/api/v1/documents/{document}/unlock", password="x").status_code == 400
    assert 'type="password"' not in editor.get(f"/documents/{document}").text


def fetch(database: Database, query: str, *given: object) -> list[dict[str, object]]:
    with database.transaction() as conn:
        return conn.execute(query.encode(), given or None).fetchall()
