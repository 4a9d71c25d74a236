"""Users' decisions on fields are kept, regardless of what later runs of the stage find."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as example
from hypothesis import strategies as st

from docyard.db import Database
from docyard.errors import BadInput, NotFound
from docyard.facts.fields.user_values import normalise_value
from docyard.model.facts import FieldValue, Span, StoredField
from docyard.model.stage_values import DocumentFields, ExtractedText
from docyard.model.text.pages import Page
from docyard.pipeline.storage.values import load
from docyard.store import facts, results
from docyard.store.documents import get_document
from docyard.store.fields import correct_field, decide_field, list_fields
from docyard.store.graph import entities
from tests.store.graph.mention_writer import MentionWriter, field_mention

TEXT = "100 200 100 Acme Ltd\n"
SPANS = {"100": Span(1, 0, 3), "200": Span(1, 4, 7), "100 again": Span(1, 8, 11), "Acme Ltd": Span(1, 12, 20)}


class StoredDocument:
    """A document whose fields are saved repeatedly, with users' decisions in between."""

    def __init__(self, writer: MentionWriter) -> None:
        self.db, self.workspace = writer.database, writer.workspace
        self.id = writer.put("invoice.pdf")
        self.write(TEXT)

    def write(self, text: str) -> None:
        with self.db.transaction() as conn:
            results.save_extracted(conn, self.id, self.workspace, ExtractedText((Page(1, text),)))

    def save(self, *fields: FieldValue) -> list[StoredField]:
        """Save these fields as the stage does."""
        with self.db.transaction() as conn:
            facts.save_fields(conn, get_document(conn, self.id), fields)
        return self.fields()

    def fields(self) -> list[StoredField]:
        with self.db.transaction() as conn:
            return list(list_fields(conn, self.id))

    def used(self) -> set[str]:
        """Return the values that the stage `relate` receives."""
        with self.db.transaction() as conn:
            (value,) = load(conn, get_document(conn, self.id), [DocumentFields])
        assert isinstance(value, DocumentFields)
        return {each.value for each in value.fields}

    def decide(self, number: int, state: str) -> None:
        with self.db.transaction(self.workspace) as conn:
            decide_field(conn, number, state, "ann@example.org")

    def correct(self, number: int, value: str) -> None:
        with self.db.transaction(self.workspace) as conn:
            correct_field(conn, number, value, value, "ann@example.org")


@pytest.fixture
def document(database: Database, workspace: UUID) -> StoredDocument:
    """A document with one page of three numbers and a name."""
    return StoredDocument(MentionWriter(database, workspace))


def total(label: str, normal: str = "") -> FieldValue:
    text = label.split(maxsplit=1)[0] if label[0].isdigit() else label
    return FieldValue("total", text, normal or f"{text}.00", 0.8, "rule", SPANS[label])


def states(fields: list[StoredField]) -> list[tuple[str, str]]:
    return sorted((each.normal, each.state) for each in fields)


def test_fields_found_again_keep_their_ids(document: StoredDocument) -> None:
    first = document.save(total("100"), total("200"))
    assert [each.id for each in document.save(total("100"), total("200"))] == [each.id for each in first]
    assert states(document.save(total("200"))) == [("200.00", "unconfirmed")]


def test_keeps_a_confirmed_value_that_is_not_found_again(document: StoredDocument) -> None:
    (one,) = document.save(total("100"))
    document.decide(one.id, "confirmed")
    (kept,) = document.save()
    assert (kept.state, kept.decided_by, kept.span) == ("confirmed", "ann@example.org", SPANS["100"])
    assert kept.decided_at
    assert states(document.save(total("200"))) == [("100.00", "confirmed"), ("200.00", "unconfirmed")]
    assert states(document.save(total("100"))) == [("100.00", "confirmed")], "no duplicate"


@pytest.mark.parametrize(
    "again",
    [total("100"), total("100 again"), total("100", "1.00")],
    ids=["same field", "same normal form elsewhere", "other normal form at the same span"],
)
def test_a_rejected_value_stays_rejected(document: StoredDocument, again: FieldValue) -> None:
    (one,) = document.save(total("100"))
    document.decide(one.id, "rejected")
    assert states(document.save(again)) == [("100.00", "rejected")]
    assert states(document.save(again, total("200"))) == [("100.00", "rejected"), ("200.00", "unconfirmed")]
    assert document.used() == {"200"}


def test_different_text_at_the_span_of_a_rejected_value_is_a_new_value(document: StoredDocument) -> None:
    (one,) = document.save(total("100"))
    document.decide(one.id, "rejected")
    document.write(TEXT.replace("100", "700"))
    right = FieldValue("total", "700", "700.00", 0.9, "rule", SPANS["100"])
    assert states(document.save(right)) == [("100.00", "rejected"), ("700.00", "unconfirmed")]
    rejected = next(each for each in document.fields() if each.state == "rejected")
    assert rejected.span is None, "the text at its span has changed"


def test_the_span_of_a_confirmed_value_moves_with_its_text(document: StoredDocument) -> None:
    (one,) = document.save(total("200"))
    document.decide(one.id, "confirmed")
    document.write("A new first line\n" + TEXT)
    moved = FieldValue("total", "200", "200.00", 0.9, "rule", Span(1, 21, 24))
    (kept,) = document.save(moved)
    assert (kept.id, kept.state, kept.span) == (one.id, "confirmed", Span(1, 21, 24))


def test_a_correction_is_stored_in_addition_to_the_extracted_value(document: StoredDocument) -> None:
    (one,) = document.save(total("100"))
    document.correct(one.id, "150.00")
    document.correct(one.id, "150.00")
    assert states(document.fields()) == [("100.00", "rejected"), ("150.00", "confirmed")]
    user_value = next(each for each in document.fields() if each.source == "person")
    assert (user_value.corrects, user_value.span, user_value.decided_by) == (one.id, None, "ann@example.org")
    document.save(total("100"))
    assert states(document.save()) == [("100.00", "rejected"), ("150.00", "confirmed")]
    assert document.used() == {"150.00"}
    document.correct(user_value.id, "160.00")
    assert states(document.fields()) == [("100.00", "rejected"), ("160.00", "confirmed")]
    document.decide(user_value.id, "unconfirmed")
    assert states(document.fields()) == [("100.00", "unconfirmed")], "one undo reverts the whole correction"
    with pytest.raises(NotFound):
        document.decide(user_value.id, "unconfirmed")


def test_a_correction_to_the_same_value_confirms_it(document: StoredDocument) -> None:
    (one,) = document.save(total("100"))
    document.correct(one.id, "100.00")
    assert states(document.fields()) == [("100.00", "confirmed")]


def test_keeps_the_first_user_who_confirmed_a_value(document: StoredDocument) -> None:
    (one,) = document.save(total("100"))
    document.decide(one.id, "confirmed")
    (before,) = document.fields()
    with document.db.transaction(document.workspace) as conn:
        decide_field(conn, one.id, "confirmed", "bob@example.org")
    assert document.fields() == [before], "a second click changes nothing"


def test_a_mention_made_from_a_field_has_the_state_of_the_field(document: StoredDocument) -> None:
    (party,) = document.save(FieldValue("party", "Acme Ltd", "Acme Ltd", 0.8, "rule", SPANS["Acme Ltd"]))
    with document.db.transaction() as conn:
        made = field_mention("party", "organisation", "Acme Ltd", 12)
        facts.save_relations(conn, get_document(conn, document.id), [], [made])
    for state in ("rejected", "unconfirmed", "confirmed"):
        document.decide(party.id, state)
        with document.db.transaction(document.workspace) as conn:
            assert [each.state for each in entities.list_document_mentions(conn, document.id)] == [state]


FOUND = st.lists(
    st.builds(total, st.sampled_from(["100", "200", "100 again"]), st.sampled_from(["", "1.00", "2.00"])), max_size=3
)
ACTIONS = st.lists(
    st.tuples(FOUND, st.integers(0, 9), st.sampled_from(["confirmed", "rejected", "unconfirmed", "correct"])),
    max_size=5,
)


@example(ACTIONS, FOUND)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_decisions_survive_later_results(
    document: StoredDocument, actions: list[tuple[list[FieldValue], int, str]], last: list[FieldValue]
) -> None:
    with document.db.transaction() as conn:
        conn.execute("DELETE FROM field_values WHERE document_id = %s", (document.id,))
    for found, which, verdict in actions:
        kept = document.save(*found)
        if kept:
            chosen = kept[which % len(kept)]
            if verdict == "correct":
                document.correct(chosen.id, "7.00")
            else:
                document.decide(chosen.id, verdict)
    decisions = {each.id: each.state for each in document.fields() if each.state != "unconfirmed"}
    after = document.save(*last)
    assert {each.id: each.state for each in after if each.state != "unconfirmed"} == decisions
    decided = [each for each in after if each.id in decisions]
    still_open = {(each.value, each.normal, each.span) for each in after if each.id not in decisions}
    normals = {each.normal for each in decided}
    spans = {(each.value, each.span) for each in decided}
    expected = {
        (each.value, each.normal, each.span)
        for each in last
        if each.normal not in normals and (each.value, each.span) not in spans
    }
    assert still_open == expected
    assert len(after) == len(decisions) + len(expected), "no duplicates"


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
def test_normalises_user_values_by_field(name: str, typed: str, normal: str) -> None:
    assert normalise_value(name, typed) == normal


@pytest.mark.parametrize(
    ("name", "typed"),
    [("total", "much"), ("total", "1 or 2"), ("date", "01/02/2026"), ("date", "soon"), ("due_date", "2026")],
)
def test_rejects_invalid_user_values_with_an_example(name: str, typed: str) -> None:
    with pytest.raises(BadInput, match="such as"):
        normalise_value(name, typed)
