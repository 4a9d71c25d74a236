"""Entities depend only on the mentions of documents: not on order, repetition or concurrency."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Event
from uuid import UUID

import pytest

from docyard.db import Database
from docyard.store.documents import get_document
from docyard.store.facts import drop_facts, save_relations
from docyard.store.graph import entities, merges
from docyard.store.users import get_or_create_workspace
from tests.store.graph.mention_writer import MentionWriter, Named, field_mention, relate, write_mentions

NAMES: list[Named] = [
    ("organisation", "Acme, Inc."),
    ("organisation", "ACME INCORPORATED"),
    ("organisation", "Acme LLC"),
    ("organisation", "acme"),
    ("person", "Acme"),
    ("person", "Dr. Ann Lee"),
    ("person", "Lee, Ann"),
    ("email", "Ann@Acme.com"),
    ("email", "ann@acme.com"),
    ("date", "2026-01-01"),
    ("place", "The Hague"),
]


def load_entities(writer: MentionWriter) -> list[tuple[object, ...]]:
    """Return entities with names and mentions, without ids, which differ between workspaces."""
    rows = writer.rows(
        "SELECT e.kind, e.key, e.name, array_agg(d.name || ':' || m.start_offset || ':' || m.text) AS texts"
        " FROM entities e JOIN mentions m ON m.entity_id = e.id JOIN documents d ON d.id = m.document_id"
        " WHERE e.workspace_id = %s GROUP BY e.id ORDER BY e.kind, e.key",
        writer.workspace,
    )
    return [(row["kind"], row["key"], row["name"], sorted(row["texts"])) for row in rows]


@pytest.mark.parametrize("seed", range(8))
def test_entities_do_not_depend_on_the_order_of_documents_and_mentions(database: Database, seed: int) -> None:
    random = Random(seed)
    mentioned = {f"d{n}": [random.choice(NAMES) for _ in range(random.randrange(6))] for n in range(6)}
    outcomes = []
    for turn in range(2):
        with database.transaction() as conn:
            writer = MentionWriter(database, get_or_create_workspace(conn, f"order {turn}"))
        for name in random.sample(sorted(mentioned), len(mentioned)):
            document = writer.put(name, *random.sample(NAMES, 3))  # the next line replaces these mentions
            writer.write_mentions(document, *mentioned[name])
        outcomes.append(load_entities(writer))
        count = writer.rows("SELECT count(*) AS n FROM entities WHERE workspace_id = %s", writer.workspace)
        assert count == [{"n": len(outcomes[-1])}], "entities without mentions are deleted"
    assert outcomes[0] == outcomes[1]


def test_saving_the_same_mentions_again_changes_no_row(writer: MentionWriter) -> None:
    document = writer.put("a", *NAMES)
    query = "SELECT id, entity_id, state FROM mentions ORDER BY id"
    before = writer.rows(query), writer.entities()
    writer.write_mentions(document, *NAMES)
    assert (writer.rows(query), writer.entities()) == before


def test_offsets_of_a_mention_match_its_text(writer: MentionWriter) -> None:
    writer.put("a", *NAMES)
    wrong = writer.rows(
        "SELECT FROM mentions m JOIN pages p ON p.document_id = m.document_id AND p.number = m.page"
        " WHERE substr(p.text, m.start_offset + 1, m.end_offset - m.start_offset) <> m.text"
    )
    assert wrong == []
    assert len(writer.rows("SELECT FROM mentions")) == len(NAMES)


def test_concurrent_documents_create_one_entity(writer: MentionWriter) -> None:
    one, other = writer.put("one"), writer.put("other")
    begun, waiting = Event(), Event()

    def second() -> None:
        with writer.database.transaction() as conn:
            document = get_document(conn, other)
            begun.wait(30)
            waiting.set()
            write_mentions(conn, document, ("organisation", "ACME INC"), ("person", "Ann Lee"))

    with ThreadPoolExecutor(1) as pool:
        with writer.database.transaction() as conn:
            write_mentions(conn, get_document(conn, one), ("organisation", "Acme Incorporated"))
            done = pool.submit(second)
            begun.set()
            assert waiting.wait(30), "the other transaction runs before this one commits"
        done.result(60)
    acme = writer.id("organisation", "acme")
    rows = writer.rows("SELECT DISTINCT document_id FROM mentions WHERE entity_id = %s", acme)
    assert {row["document_id"] for row in rows} == {one, other}
    assert [(row["key"], row["name"]) for row in writer.entities() if row["id"] == acme] == [
        ("acme", "Acme Incorporated")
    ]


def test_shows_the_best_spelling_that_is_still_mentioned(writer: MentionWriter) -> None:
    first = writer.put("first", ("organisation", "ACME INCORPORATED"))
    assert [row["name"] for row in writer.entities()] == ["ACME INCORPORATED"]
    second = writer.put("second", ("organisation", "Acme  Inc."))
    assert [row["name"] for row in writer.entities()] == ["Acme Inc."]
    writer.write_mentions(second)
    assert [row["name"] for row in writer.entities()] == ["ACME INCORPORATED"]
    writer.write_mentions(first)
    assert writer.entities() == []


def remove(writer: MentionWriter, document: UUID) -> None:
    with writer.database.transaction(writer.workspace) as conn:
        drop_facts(conn, document, writer.workspace)


def test_deleting_a_document_deletes_its_facts_and_unmentioned_entities(writer: MentionWriter) -> None:
    one = writer.put("one", ("organisation", "Acme"), ("person", "Ann Lee"))
    two = writer.put("two", ("organisation", "Acme"), ("person", "A. Lee"))
    with writer.database.transaction() as conn:
        relate(conn, get_document(conn, one), "party_to", ("person", "Ann Lee"))
        merges.confirm_merge(conn, writer.id("person", "Ann Lee"), writer.id("person", "A. Lee"), "me")
    remove(writer, one)
    assert {row["key"] for row in writer.entities()} == {"acme", "a lee"}
    assert {row["merged_into"] for row in writer.entities()} == {None}
    assert writer.rows("SELECT FROM relations") == writer.rows("SELECT FROM entity_merges") == []
    remove(writer, two)
    assert writer.entities() == []


def test_decisions_are_kept_when_a_document_is_processed_again(writer: MentionWriter) -> None:
    document = writer.put("one", ("person", "Ann Lee"), ("person", "A. Lee"))
    ann, short = writer.id("person", "Ann Lee"), writer.id("person", "A. Lee")
    with writer.database.transaction() as conn:
        merges.confirm_merge(conn, ann, short, "me")
        first, second = entities.list_document_mentions(conn, document)
        entities.decide_mention(conn, first.id, "confirmed", "me")
        entities.decide_mention(conn, second.id, "rejected", "me")
    writer.write_mentions(document, ("person", "A. Lee"), ("person", "Ann Lee"), before="All else moved. ")
    assert {row["merged_into"] for row in writer.entities()} == {None, min(ann, short)}
    assert {row["state"] for row in writer.rows("SELECT state FROM mentions")} == {"unconfirmed"}
    writer.write_mentions(document, ("person", "Ann Lee"), ("person", "A. Lee"))
    with writer.database.transaction() as conn:
        first, second = entities.list_document_mentions(conn, document)
        entities.decide_mention(conn, first.id, "confirmed", "me")
        entities.decide_mention(conn, second.id, "rejected", "me")
    writer.write_mentions(document, ("person", "Ann Lee"), ("person", "A. Lee"))
    with writer.database.transaction() as conn:
        assert [each.state for each in entities.list_document_mentions(conn, document)] == ["confirmed", "rejected"]


def test_keeps_a_confirmed_mention_while_the_page_contains_its_text(writer: MentionWriter) -> None:
    document = writer.put("one", ("person", "Ann Lee"), ("person", "Bo Po"))
    with writer.database.transaction() as conn:
        first, _ = entities.list_document_mentions(conn, document)
        entities.decide_mention(conn, first.id, "confirmed", "me")
    writer.write_mentions(document, ("person", "Bo Po"), before="Ann Lee\n")
    with writer.database.transaction() as conn:
        assert [each.text for each in entities.list_document_mentions(conn, document)] == ["Ann Lee", "Bo Po"]
    writer.write_mentions(document, ("person", "Bo Po"))
    with writer.database.transaction() as conn:
        assert [each.text for each in entities.list_document_mentions(conn, document)] == ["Bo Po"]


def test_mentions_made_from_fields_follow_the_fields(writer: MentionWriter) -> None:
    document = writer.put("one", ("person", "Ann Lee"))
    with writer.database.transaction() as conn:
        whole = get_document(conn, document)
        save_relations(conn, whole, [], [field_mention("seller", "organisation", "Ann", 0)])
        assert [each.field for each in entities.list_document_mentions(conn, document)] == ["seller", None]
    writer.write_mentions(document, ("person", "Ann Lee"))
    assert len(writer.rows("SELECT FROM mentions")) == 2, "mentions found in the text do not replace them"
    with writer.database.transaction() as conn:
        save_relations(conn, whole, [], [])
    assert [row["kind"] for row in writer.entities()] == ["person"]


def test_relations_found_again_keep_the_decisions_on_them(writer: MentionWriter) -> None:
    document = writer.put("one", ("person", "Ann Lee"), ("person", "Bo Po"))
    with writer.database.transaction() as conn:
        whole = get_document(conn, document)
        relate(conn, whole, "party_to", ("person", "Ann Lee"))
        (party,) = entities.list_document_relations(conn, document)
        entities.decide_relation(conn, party.id, "rejected", "me")
        relate(conn, whole, "party_to", ("person", "Ann Lee"))
        (again,) = entities.list_document_relations(conn, document)
        assert (again.id, again.state) == (party.id, "rejected")
        relate(conn, whole, "knows", ("person", "Ann Lee"), ("person", "Bo Po"))
        (other,) = entities.list_document_relations(conn, document)
    assert (other.type, other.to_name, other.to_document, other.state) == ("knows", "Bo Po", None, "unconfirmed")


def test_workspaces_have_separate_entities(writer: MentionWriter, database: Database, other_workspace: UUID) -> None:
    writer.put("mine", ("organisation", "Acme"))
    other = MentionWriter(database, other_workspace)
    other.put("theirs", ("organisation", "Acme"))
    assert writer.id("organisation", "Acme") != other.id("organisation", "Acme")
    assert len(writer.entities()) == len(other.entities()) == 1
