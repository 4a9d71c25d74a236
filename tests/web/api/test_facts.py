"""Facts in the API: fields, mentions, entities, relations, merges and verdicts."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Database
from docyard.model.facts import FieldValue, Span
from docyard.model.stage_values import ExtractedText
from docyard.model.text.pages import Page, Word, pack_words
from docyard.store import facts, results
from docyard.store.documents import get_document
from docyard.store.graph import merges
from tests.store.graph.mention_writer import MentionWriter, relate
from tests.web.site import Client

ACME, ANN = ("organisation", "Acme, Inc."), ("person", "Ann Lee")


@pytest.fixture
def writer(database: Database, workspace: UUID) -> MentionWriter:
    """A helper that adds documents with mentions to the main workspace."""
    return MentionWriter(database, workspace)


@pytest.fixture
def contract(writer: MentionWriter) -> UUID:
    """A document with two entities, one of them on two lines."""
    document = writer.put("contract.pdf", ACME, ANN)
    words = [Word(0, 5, 10, 20, 60, 32), Word(6, 10, 64, 21, 90, 32), Word(11, 14, 10, 40, 30, 52)]
    words.append(Word(15, 18, 10, 60, 30, 72))
    text = "Acme, Inc.\nAnn Lee\n"
    with writer.database.transaction() as conn:
        page = Page(1, text, 200, 300, pack_words(words))
        results.save_extracted(conn, document, writer.workspace, ExtractedText((page,)))
        whole = get_document(conn, document)
        facts.save_fields(conn, whole, [FieldValue("party", "Acme, Inc.", "Acme, Inc.", 0.9, "rule", Span(1, 0, 10))])
        relate(conn, whole, "party_to", ACME)
    return document


def test_returns_facts_with_bounding_boxes(viewer: Client, contract: UUID) -> None:
    found = viewer.get(f"/api/v1/documents/{contract}/facts").json()
    assert [(f["name"], f["value"], f["boxes"]) for f in found["fields"]] == [
        ("party", "Acme, Inc.", [[10.0, 20.0, 90.0, 32.0]])
    ]
    assert [(m["text"], m["kind"], m["entityName"], len(m["boxes"])) for m in found["mentions"]] == [
        ("Acme, Inc.", "organisation", "Acme, Inc.", 1),
        ("Ann Lee", "person", "Ann Lee", 2),
    ]
    (party,) = found["relations"]
    assert (party["type"], party["from"]["name"], party["to"]) == (
        "party_to",
        "Acme, Inc.",
        {"documentId": str(contract), "name": "contract.pdf"},
    )
    assert viewer.get(f"/api/v1/documents/{contract}/facts?page=2").json()["mentions"] == []
    assert len(viewer.get(f"/api/v1/documents/{contract}/facts?page=1").json()["fields"]) == 1


def test_lists_finds_and_shows_entities(viewer: Client, contract: UUID, writer: MentionWriter) -> None:
    for n in range(3):
        writer.put(f"d{n}", ("organisation", "ACME INC"), ("organisation", f"Bolt {n}"))
    listed = viewer.get("/api/v1/entities?limit=2").json()
    assert [each["key"] for each in listed["entities"]] == ["acme", "ann lee"]
    rest = viewer.get(f"/api/v1/entities?limit=9&after={listed['next']}").json()
    assert ([each["key"] for each in rest["entities"]], rest["next"]) == (["bolt 0", "bolt 1", "bolt 2"], None)
    found = viewer.get("/api/v1/entities?q=Acm&kind=organisation").json()["entities"]
    assert [(each["name"], each["documents"]) for each in found] == [("Acme, Inc.", 4)]
    assert viewer.get("/api/v1/entities?q=acm&kind=person").json()["entities"] == []
    assert viewer.get("/api/v1/entities?q=%27%29%20%7C%20%3A*").json()["entities"] == []
    assert viewer.get("/api/v1/entities?kind=spoon").status_code == 400
    page = viewer.get(f"/api/v1/entities/{found[0]['id']}?limit=3").json()
    assert {(a["text"], a["mentions"]) for a in page["aliases"]} == {("ACME INC", 3), ("Acme, Inc.", 1)}
    assert [m["documentName"] for m in page["mentions"]] == ["d2", "d1", "d0"]
    (last,) = viewer.get(f"/api/v1/entities/{found[0]['id']}?below={page['next']}").json()["mentions"]
    assert (last["documentId"], last["boxes"]) == (str(contract), [[10.0, 20.0, 90.0, 32.0]])
    assert [r["type"] for r in page["relations"]] == ["party_to"]


def test_confirms_rejects_and_undoes_a_merge(editor: Client, writer: MentionWriter) -> None:
    writer.put("a", ("person", "Ann Lee"), ("person", "A. Lee"), ("organisation", "Lee"))
    one, other = writer.id("person", "Ann Lee"), writer.id("person", "A. Lee")
    with writer.database.transaction() as conn:
        merges.propose_merges(conn, [merges.Proposal(writer.workspace, "person", one, other, "They look alike.", 0.9)])
    (open_one,) = editor.get("/api/v1/merges").json()["merges"]
    assert {open_one["one"]["name"], open_one["other"]["name"]} == {"Ann Lee", "A. Lee"}
    path = f"/api/v1/entities/{one}/merges/{other}"
    assert editor.call("POST", f"{path}/confirm").json() == {"success": True}
    shown = editor.get(f"/api/v1/entities/{other}").json()
    assert (shown["name"], len(shown["merged"]), len(shown["mentions"])) == ("Ann Lee", 1, 2)
    assert shown["merges"][0]["decidedBy"] == "editor@example.org"
    assert editor.get("/api/v1/merges").json()["merges"] == []
    assert editor.call("POST", f"{path}/undo").json() == {"success": True}
    assert editor.call("POST", f"{path}/undo").json() == {"skipped": True}
    assert editor.get(f"/api/v1/entities/{other}").json()["merged"] == []
    assert editor.call("POST", f"{path}/reject").json() == {"success": True}
    assert editor.get("/api/v1/merges").json()["merges"] == []
    wrong = f"/api/v1/entities/{one}/merges/{writer.id('organisation', 'Lee')}/confirm"
    assert editor.call("POST", wrong).status_code == 400
    assert editor.call("POST", f"{path}/explode").status_code == 400


def test_confirms_and_rejects_mentions_and_relations(editor: Client, contract: UUID) -> None:
    found = editor.get(f"/api/v1/documents/{contract}/facts").json()
    mention, relation = found["mentions"][0]["id"], found["relations"][0]["id"]
    assert editor.call("POST", f"/api/v1/mentions/{mention}/reject").json() == {"success": True}
    assert editor.call("POST", f"/api/v1/relations/{relation}/confirm").json() == {"success": True}
    found = editor.get(f"/api/v1/documents/{contract}/facts").json()
    assert (found["mentions"][0]["state"], found["relations"][0]["state"]) == ("rejected", "confirmed")
    assert editor.call("POST", f"/api/v1/mentions/{mention}/undo").json() == {"success": True}
    found = editor.get(f"/api/v1/documents/{contract}/facts").json()
    assert found["mentions"][0]["state"] == "unconfirmed"
    assert editor.call("POST", "/api/v1/mentions/999999/reject").status_code == 404
    assert editor.call("POST", "/api/v1/relations/x/reject").status_code == 404


def test_search_by_facts_returns_facets(viewer: Client, contract: UUID) -> None:
    found = viewer.get("/api/v1/search?q=entity:acme").json()
    assert [hit["documentId"] for hit in found["hits"]] == [str(contract)]
    assert {each["name"] for each in found["facets"]["entities"]} == {"Acme, Inc.", "Ann Lee"}
    assert (found["hits"][0]["foundBy"], found["note"]) == ("facts", None)
