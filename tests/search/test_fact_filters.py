"""Search by facts: entities, field ranges, types and dates, with and without words."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Database
from docyard.model.facts import FieldValue
from docyard.search import count_facets, search
from docyard.search.fact_filters import parse_fact_filters, strip_fact_filters
from docyard.store import facts
from docyard.store.documents import get_document
from docyard.store.graph import merges
from tests.search.library import Library
from tests.store.graph.mention_writer import MentionWriter, Named, value, write_mentions


@pytest.fixture
def writer(library: Library) -> MentionWriter:
    """A writer that adds mentions to documents of the workspace."""
    return MentionWriter(library.owner, library.workspace)


@pytest.fixture
def filled(library: Library, writer: MentionWriter) -> Library:
    """Two invoices and a contract."""
    add(
        library,
        "invoice.pdf",
        "invoice",
        [value("total", "1,250.00", "1250.00"), value("date", "2 March 2026", "2026-03-02")],
        ("organisation", "Acme, Inc."),
    )
    add(
        library,
        "small.pdf",
        "invoice",
        [value("total", "99.50"), value("date", "2026-04-01")],
        ("organisation", "Bolt GmbH"),
    )
    add(
        library,
        "lease.pdf",
        "contract",
        [value("governing_law", "the laws of Delaware", "Delaware")],
        ("organisation", "ACME INC"),
        ("person", "Ann Lee"),
    )
    library.count()
    return library


def add(library: Library, name: str, kind: str, fields: list[FieldValue], *named: Named) -> UUID:
    document = library.put(name, f"The paper called {name} about payment.")
    with library.owner.transaction() as conn:
        conn.execute("UPDATE documents SET type = %s WHERE id = %s", (kind, document))
        whole = get_document(conn, document)
        write_mentions(conn, whole, *named)
        facts.save_fields(conn, whole, fields)
    return document


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("total>1000", {"invoice.pdf"}),
        ("total>1250", set()),
        ("total>=1,250", {"invoice.pdf"}),
        ("total<1250", {"small.pdf"}),
        ("total:99.50", {"small.pdf"}),
        ("total=99,5", {"small.pdf"}),
        ("total:50..2000", {"invoice.pdf", "small.pdf"}),
        ("date:2026-03", {"invoice.pdf"}),
        ("date:2026", {"invoice.pdf", "small.pdf"}),
        ("date>2026-03-02", {"small.pdf"}),
        ("date<=2026-03-02", {"invoice.pdf"}),
        ("date:2026-03-02", {"invoice.pdf"}),
        ("governing_law:Delaware", {"lease.pdf"}),
        ('governing_law:"laws of delaware"', {"lease.pdf"}),
        ("governing_law:Texas", set()),
        ("type:invoice", {"invoice.pdf", "small.pdf"}),
        ("type:invoice total<100", {"small.pdf"}),
        ("entity:Acme", {"invoice.pdf", "lease.pdf"}),
        ('entity:"Acme Incorporated" type:contract', {"lease.pdf"}),
        ("entity:ann", {"lease.pdf"}),
        ("entity:Nobody", set()),
        ("entity:bolt total>1000", set()),
    ],
)
@pytest.mark.parametrize("words", ["", "payment "], ids=["alone", "with words"])
def test_fact_filters_restrict_the_result(filled: Library, typed: str, names: set[str], words: str) -> None:
    result = filled.search(words + typed)
    assert {filled.names[hit.document_id] for hit in result.hits} == names
    assert result.total == len(names)
    assert {hit.by for hit in result.hits} <= {"words" if words else "facts"}


def test_finds_entities_by_id_and_through_merges(filled: Library, writer: MentionWriter) -> None:
    acme, bolt = writer.id("organisation", "Acme"), writer.id("organisation", "Bolt")
    assert set(filled.find_names(f"entity:{acme}")) == {"invoice.pdf", "lease.pdf"}
    with filled.owner.transaction() as conn:
        merges.confirm_merge(conn, acme, bolt, "me")
    for name in ("bolt", "acme", str(bolt)):
        assert set(filled.find_names(f"entity:{name}")) == {"invoice.pdf", "lease.pdf", "small.pdf"}
    with filled.owner.transaction() as conn:
        conn.execute("UPDATE mentions SET state = 'rejected', decided_at = now() WHERE text = 'Bolt GmbH'")
    assert set(filled.find_names("entity:bolt")) == {"invoice.pdf", "lease.pdf"}


def test_lists_newest_documents_first_without_words(filled: Library) -> None:
    assert filled.find_names("type:invoice") == ["small.pdf", "invoice.pdf"]


def test_other_filters_apply_as_well(filled: Library) -> None:
    assert filled.find_names("type:invoice", kinds=("pdf",)) == []
    assert len(filled.find_names("type:invoice", kinds=("text",))) == 2
    assert filled.find_names("payment entity:acme", languages=("de",)) == []


def test_unknown_field_names_are_ordinary_words(filled: Library) -> None:
    assert filled.find_names("colour:payment") == filled.find_names("payment") != []
    assert [each.name for each in parse_fact_filters("see http://x.org 12:30 note: re:port a>b total>5")] == [
        "http",
        "re",
        "total",
    ]


def test_fact_filters_do_not_affect_the_next_search(filled: Library) -> None:
    with filled.web.transaction(filled.workspace) as conn:
        assert search(conn, "payment total>1000", mode="lexical").total == 1
        assert search(conn, "payment", mode="lexical").total == 3


def test_fact_filters_apply_to_semantic_search(filled: Library) -> None:
    for document, name in filled.names.items():
        filled.embed(document, [1, 0, 0] if name == "small.pdf" else [0.9, 0.1, 0])
    found = filled.find_names("payment total>1000", mode="semantic", meaning=[1, 0, 0])
    assert found == ["invoice.pdf"]


def test_strips_fact_filters_from_a_query() -> None:
    assert strip_fact_filters('late payment total>1000 entity:"Acme Inc"') == "late payment"


def test_facts_of_another_workspace_are_not_found(filled: Library, other_workspace: UUID) -> None:
    other = Library(filled.owner, filled.web, other_workspace)
    other.put("other.txt", "payment of another kind")
    other.count()
    acme = MentionWriter(filled.owner, filled.workspace).id("organisation", "Acme")
    for typed in ("total>1", "entity:acme", f"entity:{acme}", "type:invoice"):
        assert other.find_names(typed) == []


def test_facets_count_types_and_entities_of_found_documents(filled: Library, web_database: Database) -> None:
    result = filled.search("payment")
    with web_database.transaction(filled.workspace) as conn:
        counts = count_facets(conn, result.documents)
    assert (counts.of, counts.types) == (3, (("invoice", 2), ("contract", 1)))
    assert (counts.entities[0].name, counts.entities[0].documents) == ("Acme, Inc.", 2)
    assert {each.name for each in counts.entities} == {"Acme, Inc.", "Bolt GmbH", "Ann Lee"}
