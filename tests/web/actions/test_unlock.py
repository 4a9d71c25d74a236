"""A document that needs a password gets one, which nobody keeps."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

from docyard.db import Database
from docyard.errors import Reject
from docyard.model.values import Extracted, Fetched
from docyard.readers.pdf import reader as pdf
from docyard.readers.pdf import unlock as pdf_unlock
from docyard.store import documents, results
from tests.making.pdf.pdfs import PdfPage, make_pdf
from tests.web.visiting import Person, Shelf

PASSWORD = "quince-marmalade"
SEALED = make_pdf([PdfPage(["Opened at last"])], password=PASSWORD)


@pytest.fixture
def sealed(shelf: Shelf, workspace: UUID, database: Database) -> UUID:
    """A PDF that a worker could not open."""
    document = shelf.put(workspace, "sealed.pdf", SEALED)
    with database.transaction() as conn:
        results.save_fetched(conn, document, Fetched("application/pdf", len(SEALED), "0" * 64))
        documents.mark_failed(conn, document, 1.0, category="encrypted", reason="The PDF needs a password.")
        conn.execute("DELETE FROM jobs WHERE document_id = %s", (document,))
    return document


def test_a_copy_opens_without_the_password(tmp_path: Path) -> None:
    path, copy = tmp_path / "sealed.pdf", tmp_path / "copy.pdf"
    path.write_bytes(SEALED)
    with pytest.raises(Reject, match="needs a password"):
        pdf.read(path, 10)
    with pytest.raises(Reject, match="does not open") as caught:
        pdf_unlock.unlocked(path, "wrong")
    assert (caught.value.category, caught.value.__cause__) == ("encrypted", None)
    copy.write_bytes(pdf_unlock.unlocked(path, PASSWORD))
    assert pdf.read(copy, 10).pages[0].text == "Opened at last"
    assert path.read_bytes() == SEALED


def test_the_right_password_queues_it_again_and_its_pages_can_be_seen(
    editor: Person, sealed: UUID, database: Database, workspace: UUID
) -> None:
    assert 'type="password"' in editor.get(f"/documents/{sealed}").text
    assert editor.post(f"/api/v1/documents/{sealed}/unlock", password="wrong").status_code == 422
    assert editor.post(f"/documents/{sealed}/unlock", password="wrong").status_code == 303
    assert "This password does not open the PDF." in editor.get(f"/documents/{sealed}").text
    assert rows(database, "SELECT 1 FROM renditions") == []
    assert editor.post(f"/api/v1/documents/{sealed}/unlock", password=PASSWORD).json() == {"success": True}
    assert rows(database, "SELECT kind, page FROM renditions") == [{"kind": "unlocked", "page": 0}]
    assert rows(database, "SELECT stage FROM jobs WHERE document_id = %s", sealed) == [{"stage": "fetch"}]
    assert 'type="password"' not in editor.get(f"/documents/{sealed}").text
    assert editor.get(f"/documents/{sealed}/original").content == SEALED
    with database.transaction() as saving:
        results.save_extracted(saving, sealed, workspace, Extracted(()))
    assert editor.get(f"/documents/{sealed}/pages/1.png").content.startswith(b"\x89PNG")


def test_the_password_is_nowhere(
    editor: Person,
    sealed: UUID,
    database: Database,
    capsys: pytest.CaptureFixture[str],
) -> None:
    editor.post(f"/documents/{sealed}/unlock", password=PASSWORD)
    tables = rows(
        database, "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
    )
    for table in tables:
        query = f"SELECT 1 FROM {table['relname']} t WHERE t::text LIKE %s"  # noqa: S608 (a name of ours)
        assert rows(database, query, f"%{PASSWORD}%") == []
    out, err = capsys.readouterr()
    assert PASSWORD not in out + err


def test_other_protected_files_are_not_asked_for_a_password(
    editor: Person, sealed: UUID, database: Database
) -> None:
    rows(database, "UPDATE documents SET media_type = 'application/x-ole-storage' RETURNING 1")
    page = editor.get(f"/documents/{sealed}").text
    assert 'type="password"' not in page
    assert "save a copy without one" in page
    assert editor.post(f"/api/v1/documents/{sealed}/unlock", password=PASSWORD).status_code == 400


def test_nobody_is_offered_to_retry_what_needs_a_password(editor: Person, sealed: UUID) -> None:
    for page in (editor.get(f"/documents/{sealed}").text, editor.get("/").text):
        assert "Needs a password" in page
        assert f"/documents/{sealed}/retry" not in page
    assert editor.get(f"/api/v1/documents/{sealed}").json()["state"]["action"] is None


def test_only_a_document_that_waits_for_one_takes_a_password(
    editor: Person, shelf: Shelf, workspace: UUID
) -> None:
    document = shelf.put_read(workspace, "plain.txt", "No secrets.")
    assert editor.post(f"/api/v1/documents/{document}/unlock", password="x").status_code == 400
    assert 'type="password"' not in editor.get(f"/documents/{document}").text


def rows(database: Database, query: str, *given: object) -> list[dict[str, object]]:
    with database.transaction() as conn:
        return conn.execute(query.encode(), given or None).fetchall()
