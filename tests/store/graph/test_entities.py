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


def load_entities(sayer: MentionWriter) -> list[tuple[object, ...]]:
    """Return entities with names and mentions, without ids, which differ between workspaces."""
    rows = sayer.rows(
        "SELECT e.kind, e.key, e.name, array_agg(d.name || ':' || m.start_offset || ':' || m.text) AS said"
        " FROM entities e JOIN mentions m ON m.entity_id = e.id JOIN documents d ON d.id = m.document_id"
        " WHERE e.workspace_id = %s GROUP BY e.id ORDER BY e.kind, e.key",
        sayer.workspace,
    )
    return [(row["kind"], row["key"], row["name"], sorted(row["said"])) for row in rows]


@pytest.mark.parametrize("seed", range(8))
def test_entities_do_not_depend_on_the_order_of_documents_and_mentions(database: Database, seed: int) -> None:
    random = Random(seed)
    said = {f"d{n}": [random.choice(NAMES) for _ in range(random.randrange(6))] for n in range(6)}
    outcomes = []
    for turn in range(2):
        with database.transaction() as conn:
            sayer = MentionWriter(database, get_or_create_workspace(conn, f"order {turn}"))
        for name in random.sample(sorted(said), len(said)):
            document = sayer.put(name, *random.sample(NAMES, 3))  # replaced by the next line
            sayer.write_mentions(document, *said[name])
        outcomes.append(load_entities(sayer))
        count = sayer.rows("SELECT count(*) AS n FROM entities WHERE workspace_id = %s", sayer.workspace)
        assert count == [{"n": len(outcomes[-1])}], "entities without mentions are deleted"
    assert outcomes[0] == outcomes[1]


def test_saving_the_same_mentions_again_changes_no_row(sayer: MentionWriter) -> None:
    document = sayer.put("a", *NAMES)
    query = "SELECT id, entity_id, state FROM mentions ORDER BY id"
    before = sayer.rows(query), sayer.entities()
    sayer.write_mentions(document, *NAMES)
    assert (sayer.rows(query), sayer.entities()) == before


def test_offsets_of_a_mention_match_its_text(sayer: MentionWriter) -> None:
    sayer.put("a", *NAMES)
    wrong = sayer.rows(
        "SELECT FROM mentions m JOIN pages p ON p.document_id = m.document_id AND p.number = m.page"
        " WHERE substr(p.text, m.start_offset + 1, m.end_offset - m.start_offset) <> m.text"
    )
    assert wrong == []
    assert len(sayer.rows("SELECT FROM mentions")) == len(NAMES)


def test_concurrent_documents_create_one_entity(sayer: MentionWriter) -> None:
    one, other = sayer.put("one"), sayer.put("other")
    begun, waiting = Event(), Event()

    def second() -> None:
        with sayer.database.transaction() as conn:
            document = get_document(conn, other)
            begun.wait(30)
            waiting.set()
            write_mentions(conn, document, ("organisation", "ACME INC"), ("person", "Ann Lee"))

    with ThreadPoolExecutor(1) as pool:
        with sayer.database.transaction() as conn:
            write_mentions(conn, get_document(conn, one), ("organisation", "Acme Incorporated"))
            done = pool.submit(second)
            begun.set()
            assert waiting.wait(30), "the other transaction runs before this one commits"
        done.result(60)
    acme = sayer.id("organisation", "acme")
    rows = sayer.rows("SELECT DISTINCT document_id FROM mentions WHERE entity_id = %s", acme)
    assert {row["document_id"] for row in rows} == {one, other}
    assert [(row["key"], row["name"]) for row in sayer.entities() if row["id"] == acme] == [
        ("acme", "Acme Incorporated")
    ]


def test_shows_the_best_spelling_that_is_still_mentioned(sayer: MentionWriter) -> None:
    first = sayer.put("first", ("organisation", "ACME INCORPORATED"))
    assert [row["name"] for row in sayer.entities()] == ["ACME INCORPORATED"]
    second = sayer.put("second", ("organisation", "Acme  Inc."))
    assert [row["name"] for row in sayer.entities()] == ["Acme Inc."]
    sayer.write_mentions(second)
    assert [row["name"] for row in sayer.entities()] == ["ACME INCORPORATED"]
    sayer.write_mentions(first)
    assert sayer.entities() == []


def remove(sayer: MentionWriter, document: UUID) -> None:
    with sayer.database.transaction(sayer.workspace) as conn:
        drop_facts(conn, document, sayer.workspace)


def test_deleting_a_document_deletes_its_facts_and_unmentioned_entities(sayer: MentionWriter) -> None:
    one = sayer.put("one", ("organisation", "Acme"), ("person", "Ann Lee"))
    two = sayer.put("two", ("organisation", "Acme"), ("person", "A. Lee"))
    with sayer.database.transaction() as conn:
        relate(conn, get_document(conn, one), "party_to", ("person", "Ann Lee"))
        merges.confirm_merge(conn, sayer.id("person", "Ann Lee"), sayer.id("person", "A. Lee"), "me")
    remove(sayer, one)
    assert {row["key"] for row in sayer.entities()} == {"acme", "a lee"}
    assert {row["merged_into"] for row in sayer.entities()} == {None}
    assert sayer.rows("SELECT FROM relations") == sayer.rows("SELECT FROM entity_merges") == []
    remove(sayer, two)
    assert sayer.entities() == []


def test_decisions_are_kept_when_a_document_is_processed_again(sayer: MentionWriter) -> None:
    document = sayer.put("one", ("person", "Ann Lee"), ("person", "A. Lee"))
    ann, short = sayer.id("person", "Ann Lee"), sayer.id("person", "A. Lee")
    with sayer.database.transaction() as conn:
        merges.confirm_merge(conn, ann, short, "me")
        first, second = entities.list_document_mentions(conn, document)
        entities.decide_mention(conn, first.id, "confirmed", "me")
        entities.decide_mention(conn, second.id, "rejected", "me")
    sayer.write_mentions(document, ("person", "A. Lee"), ("person", "Ann Lee"), before="All else moved. ")
    assert {row["merged_into"] for row in sayer.entities()} == {None, min(ann, short)}
    assert {row["state"] for row in sayer.rows("SELECT state FROM mentions")} == {"unconfirmed"}
    sayer.write_mentions(document, ("person", "Ann Lee"), ("person", "A. Lee"))
    with sayer.database.transaction() as conn:
        first, second = entities.list_document_mentions(conn, document)
        entities.decide_mention(conn, first.id, "confirmed", "me")
        entities.decide_mention(conn, second.id, "rejected", "me")
    sayer.write_mentions(document, ("person", "Ann Lee"), ("person", "A. Lee"))
    with sayer.database.transaction() as conn:
        assert [each.state for each in entities.list_document_mentions(conn, document)] == [
            "confirmed",
            "rejected",
        ]


def test_keeps_a_confirmed_mention_while_the_page_contains_its_text(sayer: MentionWriter) -> None:
    document = sayer.put("one", ("person", "Ann Lee"), ("person", "Bo Po"))
    with sayer.database.transaction() as conn:
        first, _ = entities.list_document_mentions(conn, document)
        entities.decide_mention(conn, first.id, "confirmed", "me")
    sayer.write_mentions(document, ("person", "Bo Po"), before="Ann Lee\n")
    with sayer.database.transaction() as conn:
        assert [each.text for each in entities.list_document_mentions(conn, document)] == ["Ann Lee", "Bo Po"]
    sayer.write_mentions(document, ("person", "Bo Po"))
    with sayer.database.transaction() as conn:
        assert [each.text for each in entities.list_document_mentions(conn, document)] == ["Bo Po"]


def test_mentions_made_from_fields_follow_the_fields(sayer: MentionWriter) -> None:
    document = sayer.put("one", ("person", "Ann Lee"))
    with sayer.database.transaction() as conn:
        whole = get_document(conn, document)
        save_relations(conn, whole, [], [field_mention("seller", "organisation", "Ann", 0)])
        assert [each.field for each in entities.list_document_mentions(conn, document)] == ["seller", None]
    sayer.write_mentions(document, ("person", "Ann Lee"))
    assert len(sayer.rows("SELECT FROM mentions")) == 2, "mentions found in the text do not replace them"
    with sayer.database.transaction() as conn:
        save_relations(conn, whole, [], [])
    assert [row["kind"] for row in sayer.entities()] == ["person"]


def test_relations_found_again_keep_the_decisions_on_them(sayer: MentionWriter) -> None:
    document = sayer.put("one", ("person", "Ann Lee"), ("person", "Bo Po"))
    with sayer.database.transaction() as conn:
        whole = get_document(conn, document)
        relate(conn, whole, "party_to", ("person", "Ann Lee"))
        (party,) = entities.list_document_relations(conn, document)
        entities.decide_relation(conn, party.id, "rejected", "me")
        relate(conn, whole, "party_to", ("person", "Ann Lee"))
        (again,) = entities.list_document_relations(conn, document)
        assert (again.id, again.state) == (party.id, "rejected")
        relate(conn, whole, "knows", ("person", "Ann Lee"), ("person", "Bo Po"))
        (other,) = entities.list_document_relations(conn, document)
    assert (other.type, other.to_name, other.to_document, other.state) == (
        "knows",
        "Bo Po",
        None,
        "unconfirmed",
    )


def test_workspaces_have_separate_entities(
    sayer: MentionWriter, database: Database, other_workspace: UUID
) -> None:
    sayer.put("mine", ("organisation", "Acme"))
    other = MentionWriter(database, other_workspace)
    other.put("theirs", ("organisation", "Acme"))
    assert sayer.id("organisation", "Acme") != other.id("organisation", "Acme")
    assert len(sayer.entities()) == len(other.entities()) == 1
