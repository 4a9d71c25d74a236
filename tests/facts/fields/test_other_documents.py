"""Court documents, messages and work orders, and the spans of all fields."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docyard.facts.fields.court.dockets import find_dockets
from docyard.model.text.pages import Page
from tests.facts.sample_documents import (
    CONTRACT,
    INVOICE,
    LISTING,
    OPINION,
    RECEIPT,
    first_values,
    list_values,
    make_page,
    read_fields,
)


def test_reads_a_court_opinion() -> None:
    fields = read_fields("court_opinion", [make_page(OPINION)], "en")
    found = first_values(fields)
    assert found["court"] == "United States Court of Appeals For the First Circuit"
    assert (found["docket"], found["date"]) == ("20-1507", "2020-12-22")
    assert list_values(fields, "party") == ["MOORING CHAPEL", "JANET T. MILLS"]
    assert "Howard" in found["judge"]
    assert list_values(fields, "citation") == ["809 N.E.2d 312"]


def test_reads_captions_of_several_layouts() -> None:
    state = (
        "SUPREME COURT OF THE STATE OF NEW YORK\n----------x\nJOHN DOE,\n     Plaintiff,\n"
        "  -against-       Index No. 512345/2021\nHARBOUR CORP.,\n    Defendant.\n----------x\n"
        "Dated: March 3, 2021"
    )
    german = (
        "BUNDESGERICHTSHOF\nVIII ZR 123/20\nVerkündet am: 12. Mai 2021\nHafenbau GmbH\ngegen\nAnna Fischer\nDer Senat"
    )
    for text, sides, docket, day in (
        (state, ["JOHN DOE", "HARBOUR CORP."], "512345/2021", "2021-03-03"),
        (german, ["Hafenbau GmbH", "Anna Fischer"], "VIII ZR 123/20", "2021-05-12"),
    ):
        fields = read_fields("filing", [make_page(text)], "en")
        assert list_values(fields, "party") == sides
        assert (first_values(fields)["docket"], first_values(fields)["date"]) == (docket, day)


def test_reads_a_list_of_cases() -> None:
    fields = read_fields("court_list", [make_page(LISTING)], "en")
    assert list_values(fields, "docket") == ["11-1136", "10-3234", "D081984", "07-23-00142-CR"]
    assert list_values(fields, "date")[:3] == ["2012-02-22", "2012-02-14", "2024-04-12"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Case No. 8:16-cv-01261-DOC", "8:16-cv-01261-DOC"),
        ("BGH, Urteil vom 3. Mai 2020 – VIII ZR 123/20", "VIII ZR 123/20"),
        ("Nos. 11–345 and 12-99", "11-345"),
        ("Docket No. 2017-03-1235", "2017-03-1235"),
    ],
)
def test_finds_case_numbers(text: str, number: str) -> None:
    assert find_dockets(text)[0].number == number


def test_reads_a_message() -> None:
    text = (
        "From: Ann <ann@example.org>\nTo: Bob\nDate: Wed, 17 May 2000 19:08:29 -0400\nSubject: Berth 7\n\nFrom: nobody"
    )
    found = first_values(read_fields("email", [make_page(text)], "en"))
    assert found["from"] == "Ann <ann@example.org>"
    assert (found["to"], found["date"], found["subject"]) == ("Bob", "2000-05-17", "Berth 7")


def test_ignores_a_date_with_an_impossible_time() -> None:
    text = "From: Ann <ann@example.org>\nTo: Bob\nDate: Mon, 4 Mar 2024 10:99999999999999999999:00\nSubject: x\n"
    assert first_values(read_fields("email", [make_page(text)], "en"))["from"] == "Ann <ann@example.org>"


def test_reads_a_work_order() -> None:
    lines = (
        "WORK ORDER\nWork order no: 4711\nEquipment:  Pump P-101\nDate reported: 03.04.2026\n"
        "Fault:  seal leaking\nAction taken:  replaced seal\n"
    )
    found = first_values(read_fields("work_order", [make_page(lines)], "en"))
    assert found["number"] == "4711"
    assert (found["equipment"], found["fault"], found["action"]) == ("Pump P-101", "seal leaking", "replaced seal")
    assert found["date"] == "2026-04-03"


KINDS = (*("invoice", "receipt", "purchase_order", "contract", "court_opinion", "court_list", "email"), "work_order")


@settings(max_examples=60, deadline=None)
@given(st.sampled_from((RECEIPT, INVOICE, CONTRACT, OPINION, LISTING)), st.data())
def test_every_field_has_the_text_of_its_span(text: str, data: st.DataObject) -> None:
    """The lines of a sample are reordered and split between two pages."""
    lines = data.draw(st.permutations(text.split("\n")))
    cut = data.draw(st.integers(0, len(lines)))
    pages = [make_page("\n".join(lines[:cut]), 1), Page(2, "\n".join(lines[cut:]))]
    for kind in KINDS:
        check_spans(kind, pages)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("receipt", RECEIPT),
        ("invoice", INVOICE),
        ("contract", CONTRACT),
        ("court_opinion", OPINION),
        ("court_list", LISTING),
    ],
)
def test_every_field_of_a_whole_document_has_the_text_of_its_span(kind: str, text: str) -> None:
    assert check_spans(kind, [make_page(text)]) > 2


def check_spans(kind: str, pages: list[Page]) -> int:
    """Check that every field has the text of its span; return the number of fields."""
    found = read_fields(kind, pages, "en")
    for field in found:
        assert field.span is not None
        assert pages[field.span.page - 1].text[field.span.start : field.span.end] == field.value
        assert 0.0 < field.confidence <= 1.0
    return len(found)


def test_a_long_run_of_capitals_takes_linear_time() -> None:
    """An algorithm with quadratic time would exceed the time limit of the suite."""
    assert read_fields("contract", [Page(1, "A-" * 60_000)], "en") == ()
