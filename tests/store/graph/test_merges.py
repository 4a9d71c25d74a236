"""Merges: proposed with a reason, decided by users, and undone completely."""

from __future__ import annotations

from itertools import combinations
from random import Random
from uuid import UUID

import pytest

from docyard.errors import BadInput, NotFound
from docyard.pipeline.run import Pipeline
from docyard.store.graph import entities, merges
from docyard.worker.duties.merges import DUTY
from tests.store.graph.mention_writer import MentionWriter, Named
from tests.worker.duties.duty_runs import do

PEOPLE = ["Ann Lee", "A. Lee", "Anne Lee", "Ann Leigh", "An Lee"]


def load_roots(writer: MentionWriter) -> dict[UUID, UUID]:
    return {row["id"]: row["merged_into"] or row["id"] for row in writer.entities()}


def expected_roots(confirmed: set[tuple[UUID, UUID]], ids: list[UUID]) -> dict[UUID, UUID]:
    """Map each entity to the entity it should be displayed as, computed only from the confirmed merges."""
    root = {each: each for each in ids}
    for _ in ids:
        for one, other in confirmed:
            root[one] = root[other] = min(root[one], root[other])
    return root


@pytest.mark.parametrize("seed", range(10))
def test_clusters_follow_the_confirmed_merges_and_undo_restores_them(writer: MentionWriter, seed: int) -> None:
    random = Random(seed)
    writer.put("all", *(("person", name) for name in PEOPLE))
    ids = [writer.id("person", name) for name in PEOPLE]
    tables = ("SELECT * FROM mentions ORDER BY id", "SELECT * FROM relations ORDER BY id")
    before = [writer.entities(), *map(writer.rows, tables)]
    confirmed: set[tuple[UUID, UUID]] = set()
    with writer.database.transaction() as conn:
        for pair in random.sample(list(combinations(ids, 2)), 6):
            one, other = random.sample(pair, 2)
            merges.confirm_merge(conn, one, other, "me")
            confirmed.add(pair)
    assert load_roots(writer) == expected_roots(confirmed, ids)
    for pair in random.sample(sorted(confirmed), len(confirmed)):
        confirmed.remove(pair)
        with writer.database.transaction() as conn:
            one, other = random.sample(pair, 2)
            assert merges.undo_merge(conn, one, other)
        assert load_roots(writer) == expected_roots(confirmed, ids)
    assert [writer.entities(), *map(writer.rows, tables)] == before
    assert writer.rows("SELECT FROM entity_merges") == []


def test_merged_entities_are_shown_as_one(writer: MentionWriter) -> None:
    writer.put("first", ("organisation", "IBM"))
    writer.put("second", ("organisation", "International Business Machines"), ("organisation", "IBM"))
    short, long = (writer.id("organisation", "IBM"), writer.id("organisation", "International Business Machines"))
    with writer.database.transaction(writer.workspace) as conn:
        merges.confirm_merge(conn, short, long, "me")
        for each in (short, long):
            family = entities.load_family(conn, entities.get_entity(conn, each))
            assert (family[0].name, len(family)) == ("International Business Machines", 2)
            ids = [member.id for member in family]
            assert len(entities.list_entity_mentions(conn, ids)) == 3
            assert {(a.text, a.mentions) for a in entities.list_aliases(conn, ids)} == {
                ("IBM", 2),
                ("International Business Machines", 1),
            }
        for words in (["ibm"], ["intern"], ["business", "mach"]):
            (found,) = entities.find_entities(conn, words=words)
            assert (found.id, found.documents) == (min(short, long), 2)
            assert found.name == "International Business Machines"


def test_only_entities_of_the_same_kind_can_be_merged(writer: MentionWriter) -> None:
    writer.put("one", ("organisation", "Lee"), ("person", "Lee"))
    with writer.database.transaction() as conn:
        with pytest.raises(BadInput, match="not organisation and person"):
            merges.confirm_merge(conn, writer.id("organisation", "Lee"), writer.id("person", "Lee"), "me")
        with pytest.raises(NotFound):
            merges.confirm_merge(conn, writer.id("person", "Lee"), writer.id("person", "Lee"), "me")
        with pytest.raises(NotFound):
            merges.confirm_merge(conn, writer.id("person", "Lee"), writer.id("person", "Nobody"), "me")


def run_duty(pipeline: Pipeline, writer: MentionWriter) -> list[tuple[str, str, str]]:
    """Run the duty; return all proposals, each as two sorted names and the reason."""
    do(pipeline, DUTY)
    with writer.database.transaction() as conn:
        found = merges.list_proposals(conn, writer.workspace)
    return sorted((*sorted((each.one_name, each.other_name)), each.reason) for each in found)  # type: ignore[misc]


MAIL: Named = ("email", "info@halvorsen.example")
OTHER_MAIL: Named = ("email", "office@harbour.example")


def test_proposes_similar_names_only_with_a_signal(pipeline: Pipeline, writer: MentionWriter) -> None:
    writer.put("a", ("organisation", "Halvorsen Marine"), MAIL)
    writer.put("b", ("organisation", "Halvorson Marine"), OTHER_MAIL)
    assert run_duty(pipeline, writer) == []
    writer.put("c", ("organisation", "Halvorson Marine"), MAIL)
    assert run_duty(pipeline, writer) == [
        (
            "Halvorsen Marine",
            "Halvorson Marine",
            f"The names are 94% similar, and their documents mention the e-mail address {MAIL[1]}.",
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
def test_reasons_name_the_signal(
    pipeline: Pipeline, writer: MentionWriter, first: list[Named], second: list[Named], why: str
) -> None:
    writer.put("a", *first)
    writer.put("b", *second)
    (line,) = [line for line in run_duty(pipeline, writer) if why in line[2]]
    assert line[:2] == tuple(sorted((first[0][1], second[0][1])))


def test_a_shared_document_is_a_signal(pipeline: Pipeline, writer: MentionWriter) -> None:
    writer.put("contract.pdf", ("organisation", "Halvorsen Marine"), ("organisation", "Halvorsen Marin"))
    ((_, _, reason),) = run_duty(pipeline, writer)
    assert reason.endswith("both occur in contract.pdf.")


def test_proposes_very_similar_rare_names_if_nothing_contradicts(pipeline: Pipeline, writer: MentionWriter) -> None:
    writer.put("a", ("organisation", "Halvorsen Marine"), MAIL)
    writer.put("b", ("organisation", "Halvorson Marine"))
    assert run_duty(pipeline, writer) == [
        (
            "Halvorsen Marine",
            "Halvorson Marine",
            "The names are 94% similar and share a rare word, and no number or address contradicts a merge.",
        )
    ]


def test_a_partial_name_needs_a_shared_identifying_number_or_address(pipeline: Pipeline, writer: MentionWriter) -> None:
    long, short = ("organisation", "Halvorsen Marine North Quay"), ("organisation", "Halvorsen Marine")
    writer.put("together", long, short)
    assert run_duty(pipeline, writer) == [], "a company and its branch can be in one document"
    writer.put("a", long, MAIL)
    writer.put("b", short, MAIL)
    ((one, other, reason),) = run_duty(pipeline, writer)
    assert (one, other) == (short[1], long[1])
    assert reason == f"One name is part of the other, and their documents mention the e-mail address {MAIL[1]}."


@pytest.mark.parametrize(
    "names",
    [
        [("equipment", "Halvorsen Pump 12"), ("equipment", "Halvorsen Pump 13")],
        [("organisation", "Halvorsen Marine"), ("organisation", "Halverson Marina")],
        [("person", "Ann Halvorsen"), ("person", "Ann Halvorson")],
    ],
    ids=["other number", "less alike", "people share names"],
)
def test_rare_names_alone_are_not_proposed(pipeline: Pipeline, writer: MentionWriter, names: list[Named]) -> None:
    for name in names:
        writer.put("one", name)
    assert run_duty(pipeline, writer) == []


def test_similar_names_of_common_words_are_not_proposed(pipeline: Pipeline, writer: MentionWriter) -> None:
    writer.put("many", *(("organisation", f"{first} Marine") for first in _make_words()))
    run_duty(pipeline, writer)  # rarity is measured among names that were compared earlier
    writer.put("a", ("organisation", "Halvorsen Marine"))
    writer.put("b", ("organisation", "Halvorson Marine"))
    pairs = [line for line in run_duty(pipeline, writer) if line[0] == "Halvorsen Marine"]
    assert pairs == []


def _make_words() -> list[str]:
    """Return fifty words that are not similar."""
    letters = "bdfgklmprt"
    return [2 * (one + "a" + other + "u") for one in letters for other in letters[:5]]


def test_frequently_mentioned_entities_are_not_a_signal(pipeline: Pipeline, writer: MentionWriter) -> None:
    for n in range(22):
        writer.put(f"d{n}", ("organisation", "Our Own Company"))
    writer.put("a", ("organisation", "Halvorsen Marine"), ("organisation", "Our Own Company"), MAIL)
    writer.put("b", ("organisation", "Halvorson Marine"), ("organisation", "Our Own Company"), OTHER_MAIL)
    assert run_duty(pipeline, writer) == []


def test_never_compares_across_kinds_and_workspaces(
    pipeline: Pipeline, writer: MentionWriter, other_workspace: UUID
) -> None:
    writer.put("a", ("organisation", "Halvorsen Marine"), ("person", "Halvorsen Marin"), MAIL)
    MentionWriter(writer.database, other_workspace).put("b", ("organisation", "Halvorsen Marina"), MAIL)
    assert run_duty(pipeline, writer) == []


def test_does_not_propose_decided_merges_again(pipeline: Pipeline, writer: MentionWriter) -> None:
    writer.put("a", ("organisation", "Halvorsen Marine"), ("organisation", "Halvorson Marine"))
    one, other = (writer.id("organisation", name) for name in ("Halvorsen Marine", "Halvorson Marine"))
    assert len(run_duty(pipeline, writer)) == 1
    for decide in (merges.reject_merge, merges.confirm_merge):
        with writer.database.transaction() as conn:
            decide(conn, other, one, "me")
        writer.put(decide.__name__, ("organisation", "Halvorsen Marine"), ("organisation", "Halvorson Marine"))
        assert run_duty(pipeline, writer) == []
    with writer.database.transaction() as conn:
        assert merges.undo_merge(conn, one, other)
        assert not merges.undo_merge(conn, one, other)
    assert len(run_duty(pipeline, writer)) == 1, "after the undo the proposal is open again"
    assert set(load_roots(writer).values()) == {one, other}
