"""What people say of fields holds, however often and whatever the stage finds afterwards."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as example
from hypothesis import strategies as st

from docyard.db import Database
from docyard.errors import BadInput, NotFound
from docyard.facts.fields.user_values import normal_of
from docyard.model.facts import FieldValue, KeptField, Span
from docyard.model.text.pages import Page
from docyard.model.values import Extracted, Fielded
from docyard.pipeline.storage.values import load
from docyard.store import facts, results
from docyard.store.documents import get_document
from docyard.store.fields import correct_field, decide_field, kept_fields
from docyard.store.graph import entities
from tests.store.graph.saying import Sayer, of_field

TEXT = "100 200 100 Acme Ltd\n"
PLACES = {
    "100": Span(1, 0, 3),
    "200": Span(1, 4, 7),
    "100 again": Span(1, 8, 11),
    "Acme Ltd": Span(1, 12, 20),
}


class Paper:
    """A document whose fields are found again and again, and judged in between."""

    def __init__(self, sayer: Sayer) -> None:
        self.db, self.workspace = sayer.database, sayer.workspace
        self.id = sayer.put("invoice.pdf")
        self.write(TEXT)

    def write(self, text: str) -> None:
        with self.db.transaction() as conn:
            results.save_extracted(conn, self.id, self.workspace, Extracted((Page(1, text),)))

    def find(self, *fields: FieldValue) -> list[KeptField]:
        """The stage ran and found these."""
        with self.db.transaction() as conn:
            facts.save_fields(conn, get_document(conn, self.id), fields)
        return self.kept()

    def kept(self) -> list[KeptField]:
        with self.db.transaction() as conn:
            return list(kept_fields(conn, self.id))

    def used(self) -> set[str]:
        """What `relate` would be given."""
        with self.db.transaction() as conn:
            (value,) = load(conn, get_document(conn, self.id), [Fielded])
        assert isinstance(value, Fielded)
        return {each.value for each in value.fields}

    def say(self, number: int, state: str) -> None:
        with self.db.transaction(self.workspace) as conn:
            decide_field(conn, number, state, "ann@example.org")

    def correct(self, number: int, value: str) -> None:
        with self.db.transaction(self.workspace) as conn:
            correct_field(conn, number, value, value, "ann@example.org")


@pytest.fixture
def paper(database: Database, workspace: UUID) -> Paper:
    """A page with three numbers and a name."""
    return Paper(Sayer(database, workspace))


def total(place: str, normal: str = "") -> FieldValue:
    text = place.split(maxsplit=1)[0] if place[0].isdigit() else place
    return FieldValue("total", text, normal or f"{text}.00", 0.8, "rule", PLACES[place])


def states(fields: list[KeptField]) -> list[tuple[str, str]]:
    return sorted((each.normal, each.state) for each in fields)


def test_what_was_found_again_keeps_its_number(paper: Paper) -> None:
    first = paper.find(total("100"), total("200"))
    assert [each.id for each in paper.find(total("100"), total("200"))] == [each.id for each in first]
    assert states(paper.find(total("200"))) == [("200.00", "unconfirmed")]


def test_a_confirmed_value_stays_when_it_is_not_found_again(paper: Paper) -> None:
    (one,) = paper.find(total("100"))
    paper.say(one.id, "confirmed")
    (kept,) = paper.find()
    assert (kept.state, kept.decided_by, kept.span) == ("confirmed", "ann@example.org", PLACES["100"])
    assert kept.decided_at
    assert states(paper.find(total("200"))) == [("100.00", "confirmed"), ("200.00", "unconfirmed")]
    assert states(paper.find(total("100"))) == [("100.00", "confirmed")], "it is there once"


@pytest.mark.parametrize(
    "again",
    [total("100"), total("100 again"), total("100", "1.00")],
    ids=["the same", "the same normal form elsewhere", "the same place read differently"],
)
def test_a_rejected_value_does_not_come_back(paper: Paper, again: FieldValue) -> None:
    (one,) = paper.find(total("100"))
    paper.say(one.id, "rejected")
    assert states(paper.find(again)) == [("100.00", "rejected")]
    assert states(paper.find(again, total("200"))) == [("100.00", "rejected"), ("200.00", "unconfirmed")]
    assert paper.used() == {"200"}


def test_another_text_at_the_place_of_a_rejected_value_is_another_value(paper: Paper) -> None:
    (one,) = paper.find(total("100"))
    paper.say(one.id, "rejected")
    paper.write(TEXT.replace("100", "700"))
    right = FieldValue("total", "700", "700.00", 0.9, "rule", PLACES["100"])
    assert states(paper.find(right)) == [("100.00", "rejected"), ("700.00", "unconfirmed")]
    rejected = next(each for each in paper.kept() if each.state == "rejected")
    assert rejected.span is None, "the page does not say so any more"


def test_a_confirmed_value_moves_with_its_text(paper: Paper) -> None:
    (one,) = paper.find(total("200"))
    paper.say(one.id, "confirmed")
    paper.write("A new first line\n" + TEXT)
    moved = FieldValue("total", "200", "200.00", 0.9, "rule", Span(1, 21, 24))
    (kept,) = paper.find(moved)
    assert (kept.id, kept.state, kept.span) == (one.id, "confirmed", Span(1, 21, 24))


def test_a_correction_is_kept_beside_what_was_found(paper: Paper) -> None:
    (one,) = paper.find(total("100"))
    paper.correct(one.id, "150.00")
    paper.correct(one.id, "150.00")
    assert states(paper.kept()) == [("100.00", "rejected"), ("150.00", "confirmed")]
    given = next(each for each in paper.kept() if each.source == "person")
    assert (given.corrects, given.span, given.decided_by) == (one.id, None, "ann@example.org")
    paper.find(total("100"))
    assert states(paper.find()) == [("100.00", "rejected"), ("150.00", "confirmed")]
    assert paper.used() == {"150.00"}
    paper.correct(given.id, "160.00")
    assert states(paper.kept()) == [("100.00", "rejected"), ("160.00", "confirmed")]
    paper.say(given.id, "unconfirmed")
    assert states(paper.kept()) == [("100.00", "unconfirmed")], "one undo takes the whole correction back"
    with pytest.raises(NotFound):
        paper.say(given.id, "unconfirmed")


def test_a_correction_that_says_the_same_confirms(paper: Paper) -> None:
    (one,) = paper.find(total("100"))
    paper.correct(one.id, "100.00")
    assert states(paper.kept()) == [("100.00", "confirmed")]


def test_who_said_it_first_is_remembered(paper: Paper) -> None:
    (one,) = paper.find(total("100"))
    paper.say(one.id, "confirmed")
    (before,) = paper.kept()
    with paper.db.transaction(paper.workspace) as conn:
        decide_field(conn, one.id, "confirmed", "bob@example.org")
    assert paper.kept() == [before], "a second click changes nothing"


def test_a_mention_that_only_a_field_knows_follows_its_field(paper: Paper) -> None:
    (party,) = paper.find(FieldValue("party", "Acme Ltd", "Acme Ltd", 0.8, "rule", PLACES["Acme Ltd"]))
    with paper.db.transaction() as conn:
        made = of_field("party", "organisation", "Acme Ltd", 12)
        facts.save_related(conn, get_document(conn, paper.id), [], [made])
    for state in ("rejected", "unconfirmed", "confirmed"):
        paper.say(party.id, state)
        with paper.db.transaction(paper.workspace) as conn:
            assert [each.state for each in entities.mentions_in(conn, paper.id)] == [state]


FOUND = st.lists(
    st.builds(total, st.sampled_from(["100", "200", "100 again"]), st.sampled_from(["", "1.00", "2.00"])),
    max_size=3,
)
ACTS = st.lists(
    st.tuples(FOUND, st.integers(0, 9), st.sampled_from(["confirmed", "rejected", "unconfirmed", "correct"])),
    max_size=5,
)


@example(ACTS, FOUND)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_found_the_word_of_people_holds(
    paper: Paper, acts: list[tuple[list[FieldValue], int, str]], last: list[FieldValue]
) -> None:
    with paper.db.transaction() as conn:
        conn.execute("DELETE FROM field_values WHERE document_id = %s", (paper.id,))
    for found, which, verdict in acts:
        kept = paper.find(*found)
        if kept:
            chosen = kept[which % len(kept)]
            if verdict == "correct":
                paper.correct(chosen.id, "7.00")
            else:
                paper.say(chosen.id, verdict)
    said = {each.id: each.state for each in paper.kept() if each.state != "unconfirmed"}
    after = paper.find(*last)
    assert {each.id: each.state for each in after if each.state != "unconfirmed"} == said
    decided = [each for each in after if each.id in said]
    still_open = {(each.value, each.normal, each.span) for each in after if each.id not in said}
    told = {each.normal for each in decided}, {(each.value, each.span) for each in decided}
    expected = {
        (each.value, each.normal, each.span)
        for each in last
        if each.normal not in told[0] and (each.value, each.span) not in told[1]
    }
    assert still_open == expected
    assert len(after) == len(said) + len(expected), "each is there once"


@pytest.mark.parametrize(
    ("name", "typed", "normal"),
    [
        ("total", "1234.5", "1234.50"),
        ("total", "1.234,50 €", "1234.50"),
        ("total", "EUR 99", "99.00"),
        ("tax", "-3,10", "-3.10"),
        ("due_date", "31 January 2026", "2026-01-31"),
        ("date", "2026-01-31", "2026-01-31"),
        ("currency", "eur", "EUR"),
        ("iban", "DE89 3704 0044 0532 0130 00", "DE89370400440532013000"),
        ("number", "2026-17", "2026-17"),
    ],
)
def test_a_given_value_has_the_normal_form_of_its_field(name: str, typed: str, normal: str) -> None:
    assert normal_of(name, typed) == normal


@pytest.mark.parametrize(
    ("name", "typed"),
    [("total", "much"), ("total", "1 or 2"), ("date", "01/02/2026"), ("date", "soon"), ("due_date", "2026")],
)
def test_what_can_be_no_such_value_is_refused_in_words(name: str, typed: str) -> None:
    with pytest.raises(BadInput, match="such as"):
        normal_of(name, typed)
