"""Organisations found by legal form, people by title, and parties by their defined short names."""

from __future__ import annotations

import pytest

from tests.facts.sample_documents import find_rule_mentions


def read(text: str) -> list[tuple[str, str]]:
    found = find_rule_mentions(text, "en")
    return [(each.kind, text[each.start : each.end]) for each in found]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("between Acme Widgets, Inc. and", "Acme Widgets, Inc."),
        ("The Müller & Söhne GmbH & Co. KG. The next", "Müller & Söhne GmbH & Co. KG"),
        ("by Goldman, Sachs & Co. yesterday", "Goldman, Sachs & Co."),
        ("in Berlin. Siemens AG pays", "Siemens AG"),
        ("AMERICAN HOME ASSURANCE COMPANY", "AMERICAN HOME ASSURANCE COMPANY"),
        ("Foo Bar Pty Ltd", "Foo Bar Pty Ltd"),
    ],
)
def test_a_legal_form_ends_the_name_of_an_organisation(text: str, name: str) -> None:
    assert read(text) == [("organisation", name)]


@pytest.mark.parametrize(
    "text", ["The Company shall pay.", "This Limited offer", "any Corporation", "Borrower Company", "3 The Company"]
)
def test_a_legal_form_alone_is_not_a_name(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Mr. John A. Smith said", "John A. Smith"),
        ("before Judge Maria de la Cruz", "Maria de la Cruz"),
        ("Frau Dr. Erika Müller", "Erika Müller"),
        ("/s/ Robert E. Jones", "Robert E. Jones"),
        ("Name: Anna Schmidt Title: CEO", "Anna Schmidt"),
        ("EASTERBROOK, Circuit Judge.", "EASTERBROOK"),
    ],
)
def test_a_title_or_label_marks_a_person(text: str, name: str) -> None:
    assert read(text) == [("person", name)]


def test_a_defined_term_refers_to_its_party() -> None:
    text = 'Acme Widgets, Inc., a Delaware corporation ("Acme"), sells. Later Acme delivers.'
    found = find_rule_mentions(text, "en")
    assert [(text[each.start : each.end], each.normal) for each in found] == [
        ("Acme Widgets, Inc.", "Acme Widgets, Inc."),
        ("Acme", "Acme Widgets, Inc."),
        ("Acme", "Acme Widgets, Inc."),
    ]


def test_names_in_capitals_and_in_title_case_have_one_normal_form() -> None:
    one, other = (find_rule_mentions(text, "en") for text in ("ACME WIDGETS\nINC.", "Acme Widgets Inc."))
    assert one[0].normal == other[0].normal == "Acme Widgets Inc."
