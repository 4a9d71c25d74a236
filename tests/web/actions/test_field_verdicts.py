"""Verdicts on fields and corrections of their values, by form and by API, and their effect on search."""

from __future__ import annotations

import html
from typing import Any
from uuid import UUID

import pytest

from docyard.db import Database
from docyard.model.facts import FieldValue, Span
from docyard.store import facts
from docyard.store.documents import get_document
from tests.web.site import Client, Library

TEXT = "The total is 900 EUR, due on 2026-03-05.\nAcme Ltd"


@pytest.fixture
def invoice(shelf: Library, workspace: UUID, database: Database) -> UUID:
    """A document with a total and a date."""
    document = shelf.add_processed(workspace, "invoice.txt", TEXT, "Invoice")
    found = [
        FieldValue("total", "900", "900.00", 0.62, "rule", Span(1, 13, 16)),
        FieldValue("date", "2026-03-05", "2026-03-05", 0.9, "rule", Span(1, 29, 39)),
    ]
    with database.transaction() as conn:
        facts.save_fields(conn, get_document(conn, document), found)
        conn.execute("UPDATE documents SET document_date = '2026-03-05' WHERE id = %s", (document,))
    return document


def list_fields(person: Client, document: UUID, name: str = "total") -> list[dict[str, Any]]:
    fields = person.get(f"/api/v1/documents/{document}/facts").json()["fields"]
    return [each for each in fields if each["name"] == name]


def count_hits(person: Client, query: str) -> int:
    return len(person.http.get("/api/v1/search", params={"q": query}).json()["hits"])


def test_form_confirms_rejects_and_undoes(editor: Client, viewer: Client, invoice: UUID) -> None:
    (total,) = list_fields(editor, invoice)
    path = f"/fields/{total['id']}"
    page = editor.get(f"/documents/{invoice}").text
    assert f'action="{path}/confirm"' in page
    assert 'aria-label="Confirm: Total 900"' in page
    assert page.count('class="said field"') == 2
    for _ in range(2):
        answer = editor.post(f"{path}/confirm", back=f"/documents/{invoice}#facts")
        assert (answer.status_code, answer.headers["location"]) == (303, f"/documents/{invoice}#facts")
    (total,) = list_fields(viewer, invoice)
    assert (total["state"], total["decidedBy"]) == ("confirmed", "editor@example.org")
    assert f'action="{path}/undo"' in editor.get(f"/documents/{invoice}").text
    assert "editor@example.org" in viewer.get(f"/documents/{invoice}").text
    editor.post(f"{path}/reject")
    page = editor.get(f"/documents/{invoice}").text
    assert 'class="value rejected"' in page
    assert page.count('class="said field"') == 1, "rejected fields are not marked"
    editor.post(f"{path}/undo")
    assert [each["state"] for each in list_fields(viewer, invoice)] == ["unconfirmed"]
    assert "/fields/" not in viewer.get(f"/documents/{invoice}").text, "viewers have no buttons"


def test_search_ignores_rejected_fields(editor: Client, invoice: UUID) -> None:
    (total,), (due,) = list_fields(editor, invoice), list_fields(editor, invoice, "date")
    for query, field in (("total>800", total), ("total:900", total), ("date:2026-03", due)):
        assert count_hits(editor, query) == 1, query
        editor.call("POST", f"/api/v1/fields/{field['id']}/reject")
        assert count_hits(editor, query) == 0, query
        editor.call("POST", f"/api/v1/fields/{field['id']}/undo")
    assert count_hits(editor, "total>800") == 1


def test_corrected_value_is_shown_and_searchable(editor: Client, invoice: UUID) -> None:
    (total,) = list_fields(editor, invoice)
    answer = editor.post(f"/fields/{total['id']}/correction", value=" 1.234,50 ", back=f"/documents/{invoice}")
    assert answer.status_code == 303
    page = html.unescape(editor.get(f"/documents/{invoice}").text)
    assert "Value saved." in page
    assert "entered by a user · editor@example.org" in page
    assert page.index("1.234,50") < page.index('class="value rejected"'), "the entered value comes first"
    assert (count_hits(editor, "total>1000"), count_hits(editor, "total:900")) == (1, 0)
    (given,) = [each for each in list_fields(editor, invoice) if each["source"] == "person"]
    assert (given["normal"], given["state"], given["corrects"]) == ("1234.50", "confirmed", total["id"])
    assert editor.call("POST", f"/api/v1/fields/{given['id']}/undo").json() == {"success": True}
    assert [(each["normal"], each["state"]) for each in list_fields(editor, invoice)] == [("900.00", "unconfirmed")]
    assert editor.call("POST", f"/api/v1/fields/{given['id']}/undo").status_code == 404


@pytest.mark.parametrize("value", ["", "  ", "a lot", "x" * 501])
def test_refuses_invalid_values_with_a_message(editor: Client, invoice: UUID, value: str) -> None:
    (total,) = list_fields(editor, invoice)
    answer = editor.post(f"/api/v1/fields/{total['id']}/correction", value=value)
    assert answer.status_code == 400
    assert answer.json()["error"].endswith((".", "characters."))
    assert [each["state"] for each in list_fields(editor, invoice)] == ["unconfirmed"]


def test_refuses_verdicts_without_permission(editor: Client, viewer: Client, outsider: Client, invoice: UUID) -> None:
    (total,) = list_fields(editor, invoice)
    for path in (f"/fields/{total['id']}/reject", f"/api/v1/fields/{total['id']}/correction"):
        assert outsider.post(path, value="1").status_code == 404
        assert viewer.post(path, value="1").status_code == 403
        assert editor.http.post(path, data={"value": "1"}).status_code == 403, "no token"
    assert editor.post("/api/v1/fields/x/confirm").status_code == 404
    assert editor.post(f"/api/v1/fields/{total['id']}/explode").status_code == 400
    assert [each["state"] for each in list_fields(editor, invoice)] == ["unconfirmed"]
