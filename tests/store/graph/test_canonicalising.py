"""Entities follow from what documents mention: whatever the order, however often, however many at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Event
from uuid import UUID

import pytest

from docyard.db import Database
from docyard.store.documents import get_document
from docyard.store.facts import drop_facts, save_related
from docyard.store.graph import entities, merges
from docyard.store.people import get_or_create_workspace
from tests.store.graph.saying import Named, Sayer, of_field, relate, say

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


def known(sayer: Sayer) -> list[tuple[object, ...]]:
    """Entities with their names and mentions, without the ids, which differ between workspaces."""
    rows = sayer.rows(
        "SELECT e.kind, e.key, e.name, array_agg(d.name || ':' || m.start_offset || ':' || m.text) AS said"
        " FROM entities e JOIN mentions m ON m.entity_id = e.id JOIN documents d ON d.id = m.document_id"
        " WHERE e.workspace_id = %s GROUP BY e.id ORDER BY e.kind, e.key",
        sayer.workspace,
    )
    return [(row["kind"], row["key"], row["name"], sorted(row["said"])) for row in rows]


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_documents_and_of_their_mentions_makes_no_difference(
    database: Database, seed: int
) -> None:
    random = Random(seed)
    said = {f"d{n}": [random.choice(NAMES) for _ in range(random.randrange(6))] for n in range(6)}
    outcomes = []
    for turn in range(2):
        with database.transaction() as conn:
            sayer = Sayer(database, get_or_create_workspace(conn, f"order {turn}"))
        for name in random.sample(sorted(said), len(said)):
            document = sayer.put(name, *random.sample(NAMES, 3))  # what it says at first is forgotten
            sayer.say(document, *said[name])
        outcomes.append(known(sayer))
        count = sayer.rows("SELECT count(*) AS n FROM entities WHERE workspace_id = %s", sayer.workspace)
        assert count == [{"n": len(outcomes[-1])}], "nothing is left of what no document says"
    assert outcomes[0] == outcomes[1]


def test_saying_the_same_again_changes_no_row(sayer: Sayer) -> None:
    document = sayer.put("a", *NAMES)
    query = "SELECT id, entity_id, state FROM mentions ORDER BY id"
    before = sayer.rows(query), sayer.entities()
    sayer.say(document, *NAMES)
    assert (sayer.rows(query), sayer.entities()) == before


def test_the_offsets_of_a_mention_give_its_text(sayer: Sayer) -> None:
    sayer.put("a", *NAMES)
    wrong = sayer.rows(
        "SELECT FROM mentions m JOIN pages p ON p.document_id = m.document_id AND p.number = m.page"
        " WHERE substr(p.text, m.start_offset + 1, m.end_offset - m.start_offset) <> m.text"
    )
    assert wrong == []
    assert len(sayer.rows("SELECT FROM mentions")) == len(NAMES)


def test_two_documents_at_once_make_one_entity(sayer: Sayer) -> None:
    one, other = sayer.put("one"), sayer.put("other")
    begun, waiting = Event(), Event()

    def second() -> None:
        with sayer.database.transaction() as conn:
            document = get_document(conn, other)
            begun.wait(30)
            waiting.set()
            say(conn, document, ("organisation", "ACME INC"), ("person", "Ann Lee"))

    with ThreadPoolExecutor(1) as pool:
        with sayer.database.transaction() as conn:
            say(conn, get_document(conn, one), ("organisation", "Acme Incorporated"))
            done = pool.submit(second)
            begun.set()
            assert waiting.wait(30), "the other is under way while this one is not committed"
        done.result(60)
    acme = sayer.id("organisation", "acme")
    rows = sayer.rows("SELECT DISTINCT document_id FROM mentions WHERE entity_id = %s", acme)
    assert {row["document_id"] for row in rows} == {one, other}
    assert [(row["key"], row["name"]) for row in sayer.entities() if row["id"] == acme] == [
        ("acme", "Acme Incorporated")
    ]


def test_the_best_way_of_writing_is_shown_and_gives_way_when_it_is_gone(sayer: Sayer) -> None:
    first = sayer.put("first", ("organisation", "ACME INCORPORATED"))
    assert [row["name"] for row in sayer.entities()] == ["ACME INCORPORATED"]
    second = sayer.put("second", ("organisation", "Acme  Inc."))
    assert [row["name"] for row in sayer.entities()] == ["Acme Inc."]
    sayer.say(second)
    assert [row["name"] for row in sayer.entities()] == ["ACME INCORPORATED"]
    sayer.say(first)
    assert sayer.entities() == []


def remove(sayer: Sayer, document: UUID) -> None:
    with sayer.database.transaction(sayer.workspace) as conn:
        drop_facts(conn, document, sayer.workspace)


def test_a_deleted_document_takes_its_facts_and_lonely_entities_along(sayer: Sayer) -> None:
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


def test_what_people_decided_outlives_another_reading(sayer: Sayer) -> None:
    document = sayer.put("one", ("person", "Ann Lee"), ("person", "A. Lee"))
    ann, short = sayer.id("person", "Ann Lee"), sayer.id("person", "A. Lee")
    with sayer.database.transaction() as conn:
        merges.confirm_merge(conn, ann, short, "me")
        first, second = entities.mentions_in(conn, document)
        entities.decide_mention(conn, first.id, "confirmed", "me")
        entities.decide_mention(conn, second.id, "rejected", "me")
    sayer.say(document, ("person", "A. Lee"), ("person", "Ann Lee"), before="All else moved. ")
    assert {row["merged_into"] for row in sayer.entities()} == {None, min(ann, short)}
    assert {row["state"] for row in sayer.rows("SELECT state FROM mentions")} == {"unconfirmed"}
    sayer.say(document, ("person", "Ann Lee"), ("person", "A. Lee"))
    with sayer.database.transaction() as conn:
        first, second = entities.mentions_in(conn, document)
        entities.decide_mention(conn, first.id, "confirmed", "me")
        entities.decide_mention(conn, second.id, "rejected", "me")
    sayer.say(document, ("person", "Ann Lee"), ("person", "A. Lee"))
    with sayer.database.transaction() as conn:
        assert [each.state for each in entities.mentions_in(conn, document)] == ["confirmed", "rejected"]


def test_a_confirmed_mention_that_is_not_found_again_stays_while_the_page_says_so(sayer: Sayer) -> None:
    document = sayer.put("one", ("person", "Ann Lee"), ("person", "Bo Po"))
    with sayer.database.transaction() as conn:
        first, _ = entities.mentions_in(conn, document)
        entities.decide_mention(conn, first.id, "confirmed", "me")
    sayer.say(document, ("person", "Bo Po"), before="Ann Lee\n")
    with sayer.database.transaction() as conn:
        assert [each.text for each in entities.mentions_in(conn, document)] == ["Ann Lee", "Bo Po"]
    sayer.say(document, ("person", "Bo Po"))
    with sayer.database.transaction() as conn:
        assert [each.text for each in entities.mentions_in(conn, document)] == ["Bo Po"]


def test_mentions_of_fields_come_and_go_with_the_fields(sayer: Sayer) -> None:
    document = sayer.put("one", ("person", "Ann Lee"))
    with sayer.database.transaction() as conn:
        whole = get_document(conn, document)
        save_related(conn, whole, [], [of_field("seller", "organisation", "Ann", 0)])
        assert [each.field for each in entities.mentions_in(conn, document)] == ["seller", None]
    sayer.say(document, ("person", "Ann Lee"))
    assert len(sayer.rows("SELECT FROM mentions")) == 2, "readers of names leave them alone"
    with sayer.database.transaction() as conn:
        save_related(conn, whole, [], [])
    assert [row["kind"] for row in sayer.entities()] == ["person"]


def test_relations_that_are_said_again_keep_what_people_said_of_them(sayer: Sayer) -> None:
    document = sayer.put("one", ("person", "Ann Lee"), ("person", "Bo Po"))
    with sayer.database.transaction() as conn:
        whole = get_document(conn, document)
        relate(conn, whole, "party_to", ("person", "Ann Lee"))
        (party,) = entities.relations_in(conn, document)
        entities.decide_relation(conn, party.id, "rejected", "me")
        relate(conn, whole, "party_to", ("person", "Ann Lee"))
        (again,) = entities.relations_in(conn, document)
        assert (again.id, again.state) == (party.id, "rejected")
        relate(conn, whole, "knows", ("person", "Ann Lee"), ("person", "Bo Po"))
        (other,) = entities.relations_in(conn, document)
    assert (other.type, other.to_name, other.to_document, other.state) == (
        "knows",
        "Bo Po",
        None,
        "unconfirmed",
    )


def test_entities_of_another_workspace_are_others(
    sayer: Sayer, database: Database, other_workspace: UUID
) -> None:
    sayer.put("mine", ("organisation", "Acme"))
    other = Sayer(database, other_workspace)
    other.put("theirs", ("organisation", "Acme"))
    assert sayer.id("organisation", "Acme") != other.id("organisation", "Acme")
    assert len(sayer.entities()) == len(other.entities()) == 1
