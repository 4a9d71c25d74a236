"""A deleted document appears on no page and in no API response."""

from __future__ import annotations

from uuid import UUID

import httpx
import pytest

from docyard.db import Database
from docyard.facts.resolution.keys import make_entity_key
from docyard.model.facts import CanonicalMention, EntityKey, FieldValue, Mention, Relation, Span
from docyard.search import find_related
from docyard.store import facts
from docyard.store.documents import get_document
from docyard.store.graph import entities, merges
from docyard.store.word_counts import delete_deleted_passages, fold_text_changes
from tests.web.conftest import Users
from tests.web.route_table import FACTS, FOLDERS, TABLE, Row
from tests.web.site import Client, Library

TEXT = "Zeppelina Works wrote to Harbour Company. The zeppelin is moored. Call the zeppelinist."
ALIKE = "Zeppelin Works wrote to Harbour Company about a ship that is moored."
MARKS = ("zeppelina", "zeppelinist", "mandate.txt", "Mandate of")
QUERIES = (
    "zeppelinist",
    "zeppelinista",
    "mandate",
    "entity:Zeppelina",
    'entity:"Harbour Company"',
    "tag:zeppelina",
    "seller:zeppelina",
    "total>1",
    "type:invoice",
    "folder:Gondola",
    "date:2026",
)
PATHS = (
    "/",
    "/documents/counts",
    "/entities",
    "/entities?q=zeppelina",
    "/api/v1/entities?q=zeppelina",
    "/api/v1/entities",
    "/api/v1/merges",
    "/api/v1/tags",
    "/api/v1/tags?q=zeppelina",
    "/api/v1/documents",
    "/api/v1/documents?type=invoice",
    "/api/v1/documents?tag=zeppelina",
    "/api/v1/documents?folder=Gondola",
    "/operations",
)
KINDS = ("viewer", "editor", "admin", "operator")


def add_facts(shelf: Library, workspace: UUID, document: UUID, *names: str) -> None:
    """Add mentions of these organisations, fields and relations to a document; the first is the seller."""
    text = ALIKE if names[0] in ALIKE else TEXT
    found = [Mention("organisation", _find_span(text, name), name, name, 0.9, "rule") for name in names]
    named = [CanonicalMention(each, make_entity_key(each.kind, each.normal)) for each in found]
    ends = [EntityKey("organisation", each.key) for each in named]
    issued = Relation("issued", ends[0], None, found[0].span, 0.9)
    together = Relation("mentioned_with", ends[0], ends[1], found[0].span, 0.9)
    with shelf.database.transaction() as conn:
        kept = get_document(conn, document)
        facts.save_fields(
            conn,
            kept,
            [
                FieldValue("seller", names[0], names[0], 0.9, "rule", found[0].span),
                FieldValue("total", "900", "900.00", 0.9, "xml"),
                FieldValue("date", "2026-03-05", "2026-03-05", 0.9, "xml"),
            ],
        )
        facts.save_mentions(conn, kept, found)
        facts.save_canonical_mentions(conn, kept, named)
        facts.save_relations(conn, kept, [issued, together], [])


def _find_span(text: str, name: str) -> Span:
    return Span(1, text.index(name), text.index(name) + len(name))


@pytest.fixture
def mandate(shelf: Library, workspace: UUID, database: Database) -> UUID:
    """A document with all kinds of facts; the workspace also has a similar document."""
    document = shelf.add_processed(workspace, "mandate.txt", TEXT, "Mandate of the zeppelina")
    other = shelf.add_processed(workspace, "other.txt", ALIKE, "Another")
    add_facts(shelf, workspace, document, "Zeppelina Works", "Harbour Company")
    add_facts(shelf, workspace, other, "Zeppelin Works", "Harbour Company")
    FACTS[document] = dict.fromkeys(("one", "other"), _entity_id(workspace, "Zeppelina Works"))
    FOLDERS[document] = shelf.move_to_folder(workspace, document, "Gondola")
    with database.transaction() as conn:
        conn.execute(
            "UPDATE documents SET type = 'invoice', tags = '{zeppelina}', found_tags = '{zeppelinist}',"
            " document_date = '2026-03-05', entity_type = 'work_order', entity_id = 'WO-1' WHERE id = %s",
            (document,),
        )
        pair = (_entity_id(workspace, "Zeppelin Works"), _entity_id(workspace, "Harbour Company"))
        merges.propose_merges(
            conn, [merges.Proposal(workspace, "organisation", *pair, "Both are in mandate.txt.", 0.9)]
        )
        while fold_text_changes(conn, 50):
            pass
    return document


def _entity_id(workspace: UUID, name: str) -> UUID:
    return facts.entity_id(workspace, EntityKey("organisation", make_entity_key("organisation", name)))


def fetch_all(person: Client, document: UUID) -> dict[str, httpx.Response]:
    """Request every GET route except /events, and further URLs; return the responses by route or URL."""
    shown = {path: person.get(path) for path in PATHS}
    for query in QUERIES:
        for path in ("/search", "/api/v1/search"):
            shown[f"{path} {query}"] = person.http.get(path, params={"q": query})
    for row in TABLE:
        if row.route.startswith("GET ") and row.route != "GET /events":
            shown[row.route] = row.act(person, document)
    return shown


def leaks(response: httpx.Response, query: str) -> bool:
    """Return whether a response mentions the document, apart from repeating the query."""
    text = response.text.replace(query, "")
    return any(mark in text for mark in MARKS)


def find_leaks(person: Client, document: UUID) -> set[str]:
    queries = ("zeppelinista", "zeppelina", "zeppelinist")
    found = fetch_all(person, document)
    return {
        name
        for name, response in found.items()
        if response.status_code == 200 and leaks(response, next((query for query in queries if query in name), "\x00"))
    }


def test_existing_document_appears_everywhere(viewer: Client, mandate: UUID) -> None:
    assert {
        "/",
        "/entities",
        "/api/v1/merges",
        "/api/v1/tags",
        "/api/v1/documents?folder=Gondola",
        "/api/v1/search total>1",
        "/api/v1/search tag:zeppelina",
        "/api/v1/search zeppelinist",
        "GET /documents/{document_id}",
        "GET /api/v1/documents/{document_id}/text",
        "GET /api/v1/documents/{document_id}/facts",
    } <= find_leaks(viewer, mandate)


def is_document_route(row: Row) -> bool:
    return row.route.startswith("GET ") and "{document_id}" in row.route


def test_deleted_document_appears_nowhere(
    town: Users, shelf: Library, workspace: UUID, database: Database, mandate: UUID
) -> None:
    assert town.person("editor").call("DELETE", f"/api/v1/documents/{mandate}").status_code == 204
    people = [town.person(kind) for kind in KINDS]
    with database.transaction() as conn:
        while delete_deleted_passages(conn, 9) or fold_text_changes(conn, 50):
            pass
    for person in people:
        assert find_leaks(person, mandate) == set()
        for row in filter(is_document_route, TABLE):
            assert row.act(person, mandate).status_code in (403, 404), row.route
    with shelf.web.db.transaction(workspace) as conn:
        (other,) = [row["id"] for row in conn.execute("SELECT id FROM documents WHERE deleted_at IS NULL").fetchall()]
        assert [hit.document_id for hit in find_related(conn, other)] == []
        assert [each.key for each in entities.all_entities(conn, workspace)] == ["harbour", "zeppelin works"]
        for view in ("source_documents", "document_processing_queue", "extracted_attachments"):
            rows = conn.execute(f"SELECT * FROM {view}".encode()).fetchall()  # noqa: S608 - our own names
            assert not any(mark in str(rows) for mark in MARKS), view


def test_merge_verdict_survives_deletion_with_a_neutral_reason(
    editor: Client, workspace: UUID, database: Database, mandate: UUID
) -> None:
    pair = f"{_entity_id(workspace, 'Zeppelin Works')}/merges/{_entity_id(workspace, 'Harbour Company')}"
    assert editor.call("POST", f"/api/v1/entities/{pair}/reject").status_code == 200
    assert editor.call("DELETE", f"/api/v1/documents/{mandate}").status_code == 204
    with database.transaction() as conn:
        rows = conn.execute("SELECT state, reason FROM entity_merges").fetchall()
    assert rows == [{"state": "rejected", "reason": "The names are similar."}]
