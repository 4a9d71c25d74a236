"""Merges: proposed with a reason, decided by people, and taken back without a trace."""

from __future__ import annotations

from itertools import combinations
from random import Random
from uuid import UUID

import pytest

from docyard.errors import BadInput, NotFound
from docyard.pipeline.run import Pipeline
from docyard.store.graph import entities, merges
from docyard.worker.duties.merges import DUTY
from tests.store.graph.saying import Named, Sayer
from tests.worker.duties.keeping import do

PEOPLE = ["Ann Lee", "A. Lee", "Anne Lee", "Ann Leigh", "An Lee"]


def shown(sayer: Sayer) -> dict[UUID, UUID]:
    return {row["id"]: row["merged_into"] or row["id"] for row in sayer.entities()}


def joined(confirmed: set[tuple[UUID, UUID]], ids: list[UUID]) -> dict[UUID, UUID]:
    """As what each is shown, by nothing but what is confirmed."""
    root = {each: each for each in ids}
    for _ in ids:
        for one, other in confirmed:
            root[one] = root[other] = min(root[one], root[other])
    return root


@pytest.mark.parametrize("seed", range(10))
def test_what_is_shown_follows_from_what_is_confirmed_and_undo_restores_it(sayer: Sayer, seed: int) -> None:
    random = Random(seed)
    sayer.put("all", *(("person", name) for name in PEOPLE))
    ids = [sayer.id("person", name) for name in PEOPLE]
    tables = ("SELECT * FROM mentions ORDER BY id", "SELECT * FROM relations ORDER BY id")
    before = [sayer.entities(), *map(sayer.rows, tables)]
    confirmed: set[tuple[UUID, UUID]] = set()
    with sayer.database.transaction() as conn:
        for pair in random.sample(list(combinations(ids, 2)), 6):
            one, other = random.sample(pair, 2)
            merges.confirm_merge(conn, one, other, "me")
            confirmed.add(pair)
    assert shown(sayer) == joined(confirmed, ids)
    for pair in random.sample(sorted(confirmed), len(confirmed)):
        confirmed.remove(pair)
        with sayer.database.transaction() as conn:
            one, other = random.sample(pair, 2)
            assert merges.undo_merge(conn, one, other)
        assert shown(sayer) == joined(confirmed, ids)
    assert [sayer.entities(), *map(sayer.rows, tables)] == before
    assert sayer.rows("SELECT FROM entity_merges") == []


def test_a_merged_entity_is_looked_at_as_one(sayer: Sayer) -> None:
    sayer.put("first", ("organisation", "IBM"))
    sayer.put("second", ("organisation", "International Business Machines"), ("organisation", "IBM"))
    short, long = sayer.id("organisation", "IBM"), sayer.id("organisation", "International Business Machines")
    with sayer.database.transaction(sayer.workspace) as conn:
        merges.confirm_merge(conn, short, long, "me")
        for each in (short, long):
            family = entities.family_of(conn, entities.get_entity(conn, each))
            assert (family[0].name, len(family)) == ("International Business Machines", 2)
            ids = [member.id for member in family]
            assert len(entities.mentions_of(conn, ids)) == 3
            assert {(a.text, a.mentions) for a in entities.aliases(conn, ids)} == {
                ("IBM", 2),
                ("International Business Machines", 1),
            }
        for words in (["ibm"], ["intern"], ["business", "mach"]):
            (found,) = entities.find_entities(conn, words=words)
            assert (found.id, found.documents) == (min(short, long), 2)
            assert found.name == "International Business Machines"


def test_only_entities_of_one_kind_and_workspace_can_be_merged(sayer: Sayer) -> None:
    sayer.put("one", ("organisation", "Lee"), ("person", "Lee"))
    with sayer.database.transaction() as conn:
        with pytest.raises(BadInput, match="not organisation and person"):
            merges.confirm_merge(conn, sayer.id("organisation", "Lee"), sayer.id("person", "Lee"), "me")
        with pytest.raises(NotFound):
            merges.confirm_merge(conn, sayer.id("person", "Lee"), sayer.id("person", "Lee"), "me")
        with pytest.raises(NotFound):
            merges.confirm_merge(conn, sayer.id("person", "Lee"), sayer.id("person", "Nobody"), "me")


def proposed(pipeline: Pipeline, sayer: Sayer) -> list[tuple[str, str, str]]:
    """What the duty proposes: names in order, and why."""
    do(pipeline, DUTY)
    with sayer.database.transaction() as conn:
        found = merges.open_merges(conn, sayer.workspace)
    return sorted((*sorted((each.one_name, each.other_name)), each.reason) for each in found)  # type: ignore[misc]


MAIL: Named = ("email", "info@halvorsen.example")
OTHER_MAIL: Named = ("email", "office@harbour.example")


def test_names_that_are_alike_are_proposed_only_with_something_else_in_common(
    pipeline: Pipeline, sayer: Sayer
) -> None:
    sayer.put("a", ("organisation", "Halvorsen Marine"), MAIL)
    sayer.put("b", ("organisation", "Halvorson Marine"), OTHER_MAIL)
    assert proposed(pipeline, sayer) == []
    sayer.put("c", ("organisation", "Halvorson Marine"), MAIL)
    assert proposed(pipeline, sayer) == [
        (
            "Halvorsen Marine",
            "Halvorson Marine",
            "The names are 94% alike, and both are named beside the address info@halvorsen.example.",
        )
    ]


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ([("person", "John Smith"), MAIL], [("person", "J. Smith"), MAIL], "address info@halvorsen.example"),
        (
            [("organisation", "Nord Sea Works"), ("email", "a@nsw.example")],
            [("organisation", "Nordsea Works"), ("email", "b@nsw.example")],
            "addresses at nsw.example",
        ),
        (
            [("organisation", "Port Authority Board"), ("person", "Ann Lee")],
            [("organisation", "PAB"), ("person", "Ann Lee")],
            "person Ann Lee",
        ),
    ],
)
def test_different_signals_are_told_in_words(
    pipeline: Pipeline, sayer: Sayer, first: list[Named], second: list[Named], why: str
) -> None:
    sayer.put("a", *first)
    sayer.put("b", *second)
    (line,) = [line for line in proposed(pipeline, sayer) if why in line[2]]
    assert line[:2] == tuple(sorted((first[0][1], second[0][1])))


def test_both_in_one_document_is_a_signal_too(pipeline: Pipeline, sayer: Sayer) -> None:
    sayer.put("contract.pdf", ("organisation", "Halvorsen Marine"), ("organisation", "Halvorsen Marin"))
    ((_, _, reason),) = proposed(pipeline, sayer)
    assert reason.endswith("both stand in contract.pdf.")


def test_a_rare_name_hardly_changed_is_proposed_where_nothing_speaks_against_it(
    pipeline: Pipeline, sayer: Sayer
) -> None:
    sayer.put("a", ("organisation", "Halvorsen Marine"), MAIL)
    sayer.put("b", ("organisation", "Halvorson Marine"))
    assert proposed(pipeline, sayer) == [
        (
            "Halvorsen Marine",
            "Halvorson Marine",
            "The names are 94% alike, few others have such a word, and nothing speaks against it.",
        )
    ]


def test_a_part_of_a_name_needs_a_number_or_address_of_ones_own(pipeline: Pipeline, sayer: Sayer) -> None:
    long, short = ("organisation", "Halvorsen Marine North Quay"), ("organisation", "Halvorsen Marine")
    sayer.put("together", long, short)
    assert proposed(pipeline, sayer) == [], "a firm and its branch stand in one document"
    sayer.put("a", long, MAIL)
    sayer.put("b", short, MAIL)
    ((one, other, reason),) = proposed(pipeline, sayer)
    assert (one, other) == (short[1], long[1])
    assert reason == (
        "One name is part of the other, and both are named beside the address info@halvorsen.example."
    )


@pytest.mark.parametrize(
    "names",
    [
        [("equipment", "Halvorsen Pump 12"), ("equipment", "Halvorsen Pump 13")],
        [("organisation", "Halvorsen Marine"), ("organisation", "Halverson Marina")],
        [("person", "Ann Halvorsen"), ("person", "Ann Halvorson")],
    ],
    ids=["other number", "less alike", "people share names"],
)
def test_a_rare_name_alone_is_not_enough(pipeline: Pipeline, sayer: Sayer, names: list[Named]) -> None:
    for name in names:
        sayer.put("one", name)
    assert proposed(pipeline, sayer) == []


def test_a_name_of_common_words_alone_is_not_enough(pipeline: Pipeline, sayer: Sayer) -> None:
    sayer.put("many", *(("organisation", f"{first} Marine") for first in _fifty()))
    proposed(pipeline, sayer)  # what is rare is judged by the names that were compared before
    sayer.put("a", ("organisation", "Halvorsen Marine"))
    sayer.put("b", ("organisation", "Halvorson Marine"))
    pairs = [line for line in proposed(pipeline, sayer) if line[0] == "Halvorsen Marine"]
    assert pairs == []


def _fifty() -> list[str]:
    """Words that are not like each other."""
    letters = "bdfgklmprt"
    return [2 * (one + "a" + other + "u") for one in letters for other in letters[:5]]


def test_what_everybody_mentions_says_nothing(pipeline: Pipeline, sayer: Sayer) -> None:
    for n in range(22):
        sayer.put(f"d{n}", ("organisation", "Our Own Company"))
    sayer.put("a", ("organisation", "Halvorsen Marine"), ("organisation", "Our Own Company"), MAIL)
    sayer.put("b", ("organisation", "Halvorson Marine"), ("organisation", "Our Own Company"), OTHER_MAIL)
    assert proposed(pipeline, sayer) == []


def test_kinds_and_workspaces_are_never_compared_with_each_other(
    pipeline: Pipeline, sayer: Sayer, other_workspace: UUID
) -> None:
    sayer.put("a", ("organisation", "Halvorsen Marine"), ("person", "Halvorsen Marin"), MAIL)
    Sayer(sayer.database, other_workspace).put("b", ("organisation", "Halvorsen Marina"), MAIL)
    assert proposed(pipeline, sayer) == []


def test_a_decision_is_not_asked_for_again(pipeline: Pipeline, sayer: Sayer) -> None:
    sayer.put("a", ("organisation", "Halvorsen Marine"), ("organisation", "Halvorson Marine"))
    one, other = (sayer.id("organisation", name) for name in ("Halvorsen Marine", "Halvorson Marine"))
    assert len(proposed(pipeline, sayer)) == 1
    for decide in (merges.reject_merge, merges.confirm_merge):
        with sayer.database.transaction() as conn:
            decide(conn, other, one, "me")
        sayer.put(decide.__name__, ("organisation", "Halvorsen Marine"), ("organisation", "Halvorson Marine"))
        assert proposed(pipeline, sayer) == []
    with sayer.database.transaction() as conn:
        assert merges.undo_merge(conn, one, other)
        assert not merges.undo_merge(conn, one, other)
    assert len(proposed(pipeline, sayer)) == 1, "what was proposed before the decision is open again"
    assert set(shown(sayer).values()) == {one, other}
