"""Fields that users add in the form and the API, with their place in the text."""

from __future__ import annotations

import html
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest

from docyard.db import Database
from docyard.errors import Retry
from docyard.model.facts import FieldValue, Span
from docyard.pipeline.field_edits import read_value_at
from docyard.store import facts
from docyard.store.documents import get_document
from docyard.web.actions import new_fields
from tests.web.site import Client, Library

TEXT = "The total is 900 EUR, due on 2026-03-05.\nAcme Ltd sells, and ACME LTD delivers."
CHANGED = "The text at this place has changed. Choose the place again."
NOT_CHECKED = "The text at this place could not be checked. Please try again."
SELLER = (1, TEXT.index("Acme Ltd"), TEXT.index("Acme Ltd") + 8)


@pytest.fixture
def invoice(shelf: Library, workspace: UUID, database: Database) -> UUID:
    """An invoice in which only the total was found."""
    document = shelf.add_processed(workspace, "invoice.txt", TEXT, "Invoice")
    found = [FieldValue("total", "900", "900.00", 0.62, "rule", Span(1, 13, 16))]
    with database.transaction() as conn:
        facts.save_fields(conn, get_document(conn, document), found)
        conn.execute("UPDATE documents SET type = 'invoice' WHERE id = %s", (document,))
    return document


def list_fields(person: Client, document: UUID, name: str) -> list[dict[str, Any]]:
    fields = person.get(f"/api/v1/documents/{document}/facts").json()["fields"]
    return [each for each in fields if each["name"] == name]


def count_hits(person: Client, query: str) -> int:
    return len(person.http.get("/api/v1/search", params={"q": query}).json()["hits"])


def test_page_offers_fields_of_the_document_type(editor: Client, viewer: Client, invoice: UUID) -> None:
    page = editor.get(f"/documents/{invoice}").text
    assert 'id="add-field"' in page
    assert '<option value="seller">Seller</option>' in page
    assert 'value="governing_law"' not in page, "only fields of invoices"
    assert 'id="add-field"' not in viewer.get(f"/documents/{invoice}").text


def test_page_lets_the_user_choose_the_place_of_a_value(editor: Client, viewer: Client, invoice: UUID) -> None:
    answer = editor.post(f"/documents/{invoice}/fields", name="seller", value="acme ltd")
    assert answer.status_code == 303
    assert list_fields(editor, invoice, "seller") == [], "nothing is saved before the place is chosen"
    asked = answer.headers["location"]
    assert parse_qs(urlsplit(asked).query) == {"add": ["seller"], "value": ["acme ltd"]}
    page = html.unescape(editor.get(asked).text)
    assert '<details class="correct add" id="add-field" open>' in page
    assert page.count('name="place"') == 3, "two places, and 'none of these'"
    assert "due on 2026-03-05. <mark>Acme Ltd</mark> sells, and ACME LTD" in page
    place = ",".join(map(str, SELLER))
    assert f'value="{place}" checked' in page
    answer = editor.post(f"/documents/{invoice}/fields", name="seller", value="acme ltd", place=place)
    assert answer.headers["location"] == f"/documents/{invoice}#facts"
    (seller,) = list_fields(viewer, invoice, "seller")
    assert (seller["page"], seller["start"], seller["end"]) == SELLER
    assert (seller["value"], seller["source"], seller["corrects"]) == ("Acme Ltd", "person", None)
    assert (seller["state"], seller["decidedBy"]) == ("confirmed", "editor@example.org")
    page = html.unescape(editor.get(f"/documents/{invoice}").text)
    assert "Field added." in page
    assert "entered by a user · editor@example.org" in page
    assert page.count('class="said field"') == 2, "its place is marked like those of other fields"


def test_value_that_is_not_in_the_text_is_saved_immediately(editor: Client, invoice: UUID) -> None:
    answer = editor.post(f"/documents/{invoice}/fields", name="date", value="1 April 2026")
    assert answer.headers["location"] == f"/documents/{invoice}#facts"
    (added,) = list_fields(editor, invoice, "date")
    assert (added["normal"], added["page"]) == ("2026-04-01", None)
    assert count_hits(editor, "date:2026-04") == 1
    assert count_hits(editor, "date>2026-04-01") == 0
    assert editor.call("POST", f"/api/v1/fields/{added['id']}/undo").json() == {"success": True}
    assert list_fields(editor, invoice, "date") == []
    assert count_hits(editor, "date:2026-04") == 0


def test_api_finds_places_and_adds_fields(editor: Client, viewer: Client, invoice: UUID) -> None:
    assert "seller" in viewer.get(f"/api/v1/documents/{invoice}/facts").json()["fieldNames"]
    asked = {"name": "due_date", "value": "5 March 2026"}
    (place,) = viewer.http.get(f"/api/v1/documents/{invoice}/places", params=asked).json()["places"]
    assert (place["text"], place["before"]) == ("2026-03-05", "The total is 900 EUR, due on")
    answer = editor.post(f"/api/v1/documents/{invoice}/fields", **asked, place=place["place"])
    assert answer.status_code == 201
    (due,) = list_fields(viewer, invoice, "due_date")
    assert due["id"] == answer.json()["id"]
    assert TEXT[due["start"] : due["end"]] == due["value"] == "2026-03-05"
    again = editor.post(f"/api/v1/documents/{invoice}/fields", **asked)
    assert again.json() == answer.json(), "the same value is saved once"
    correction = editor.post(f"/api/v1/fields/{due['id']}/correction", value="2026-03-06")
    assert correction.status_code == 200
    (due,) = list_fields(viewer, invoice, "due_date")
    assert (due["normal"], due["page"]) == ("2026-03-06", None), "the text there states another value"


def test_adding_a_found_value_confirms_it_even_if_rejected(editor: Client, invoice: UUID) -> None:
    (total,) = list_fields(editor, invoice, "total")
    for verdict in ("", "reject"):
        if verdict:
            editor.call("POST", f"/api/v1/fields/{total['id']}/{verdict}")
        answer = editor.post(f"/api/v1/documents/{invoice}/fields", name="total", value="900,00")
        assert answer.json() == {"id": total["id"]}
        (kept,) = list_fields(editor, invoice, "total")
        assert (kept["state"], kept["source"]) == ("confirmed", "rule")


@pytest.mark.parametrize(
    "given",
    [
        {"name": "total", "value": "a lot"},
        {"name": "total", "value": " "},
        {"name": "secret", "value": "x"},
        {"name": "seller", "value": "Acme Ltd", "place": "1,0,3"},
        {"name": "seller", "value": "Acme Ltd", "place": "9,0,3"},
        {"name": "seller", "value": "Acme Ltd", "place": "1,2"},
        {"name": "seller", "value": "Acme Ltd", "place": "here"},
    ],
    ids=lambda given: " ".join(given.values()),
)
def test_refuses_invalid_fields_with_a_message(editor: Client, invoice: UUID, given: dict[str, str]) -> None:
    before = editor.get(f"/api/v1/documents/{invoice}/facts").json()["fields"]
    answer = editor.post(f"/api/v1/documents/{invoice}/fields", **given)
    assert answer.status_code == 400
    assert answer.json()["error"].endswith(".")
    answer = editor.post(f"/documents/{invoice}/fields", **given)
    assert answer.status_code == 303
    page = editor.get(answer.headers["location"])
    assert 'class="notice bad"' in page.text, "the page shows the error and the entered values"
    assert editor.get(f"/api/v1/documents/{invoice}/facts").json()["fields"] == before


def test_verdicts_queue_one_relate_job(editor: Client, invoice: UUID, database: Database) -> None:
    with database.transaction() as conn:
        conn.execute(
            "INSERT INTO stage_results (document_id, workspace_id, stage, version, outcome, facts, job_id,"
            " fence, worker_id, seconds) SELECT d.id, d.workspace_id, s.stage, 1, 'done', '{}',"
            " gen_random_uuid(), 1, gen_random_uuid(), 1 FROM documents d,"
            " unnest(ARRAY['extract', 'classify', 'fields', 'canonicalise']) AS s (stage)"
        )
    (total,) = list_fields(editor, invoice, "total")
    editor.call("POST", f"/api/v1/fields/{total['id']}/reject")
    editor.post(f"/fields/{total['id']}/correction", value="950")
    editor.post(f"/api/v1/documents/{invoice}/fields", name="seller", value="Acme Ltd")
    with database.transaction() as conn:
        rows = conn.execute("SELECT stage, document_id FROM jobs").fetchall()
    assert rows == [{"stage": "relate", "document_id": invoice}]


def test_searches_the_text_in_a_child_process(editor: Client, invoice: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("the web process must not match patterns against a document")

    monkeypatch.setattr("docyard.facts.fields.occurrences.find_occurrences", fail)
    places = editor.get(f"/api/v1/documents/{invoice}/places?name=seller&value=acme+ltd").json()["places"]
    assert len(places) == 2


def test_slow_search_offers_no_places(editor: Client, invoice: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docyard.web.actions.new_fields.RENDER", 0.0)
    asked = f"/api/v1/documents/{invoice}/places?name=seller&value=acme+ltd"
    assert editor.get(asked).json() == {"places": []}
    answer = editor.post(f"/documents/{invoice}/fields", name="seller", value="acme ltd")
    assert answer.headers["location"] == f"/documents/{invoice}#facts", "saved without a place"


def test_refuses_place_whose_text_has_changed(
    editor: Client, invoice: UUID, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The document is processed again after the place was checked and before the field is saved."""

    def check_and_change_text(*args: Any, **kwargs: Any) -> FieldValue | None:
        placed = read_value_at(*args, **kwargs)
        with database.transaction() as conn:
            conn.execute("UPDATE pages SET text = 'Page 1. ' || text")
        return placed

    monkeypatch.setattr(new_fields, "read_value_at", check_and_change_text)
    given = {"name": "seller", "value": "acme ltd", "place": ",".join(map(str, SELLER))}
    answer = editor.post(f"/api/v1/documents/{invoice}/fields", **given)
    assert (answer.status_code, answer.json()["error"]) == (409, CHANGED)
    with database.transaction() as conn:
        conn.execute("UPDATE pages SET text = %s", (TEXT,))
    answer = editor.post(f"/documents/{invoice}/fields", **given)
    assert answer.status_code == 303
    assert CHANGED in html.unescape(editor.get(answer.headers["location"]).text)
    assert list_fields(editor, invoice, "seller") == []


def crash(*_: object, **__: object) -> None:
    raise Retry("crash", "The child ended with signal 11.")


@pytest.mark.parametrize(("name", "what"), [("RENDER", 0.0), ("read_value_at", crash)], ids=["timeout", "crash"])
def test_answers_503_if_the_place_cannot_be_checked(
    editor: Client, invoice: UUID, monkeypatch: pytest.MonkeyPatch, name: str, what: object
) -> None:
    monkeypatch.setattr(new_fields, name, what)
    given = {"name": "seller", "value": "acme ltd", "place": ",".join(map(str, SELLER))}
    answer = editor.post(f"/api/v1/documents/{invoice}/fields", **given)
    assert (answer.status_code, answer.json()["error"]) == (503, NOT_CHECKED)
    assert int(answer.headers["retry-after"]) > 0
    answer = editor.post(f"/documents/{invoice}/fields", **given)
    assert answer.status_code == 303
    assert NOT_CHECKED in html.unescape(editor.get(answer.headers["location"]).text)
    assert list_fields(editor, invoice, "seller") == []
