"""Occurrences of a typed value in a text, and the fields of each type."""

from __future__ import annotations

import pytest

from docyard.facts.fields.occurrences import find_occurrences
from docyard.facts.vocabulary import FIELD_NAMES, list_field_names
from docyard.model.document_types import DOCUMENT_TYPES
from docyard.model.text.pages import Page
from tests.facts.sample_documents import read_fields

PAGES = [
    (1, "Acme Ltd owes 1.234,50 EUR since 5 March 2026.\nAcmeria is not\nACME  LTD."),
    (2, "Pay 1,234.50 by 2026-03-05, not 21,234.50."),
]


def find(name: str, value: str, limit: int = 9) -> list[tuple[int, str]]:
    texts = dict(PAGES)
    found = find_occurrences(name, value, PAGES, limit)
    return [(page, texts[page][start:end]) for page, start, end in found]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("seller", "acme ltd", [(1, "Acme Ltd"), (1, "ACME  LTD")]),
        ("seller", "Acme", [(1, "Acme"), (1, "ACME")]),
        ("seller", "Nobody", []),
        ("seller", "not ACME", [(1, "not\nACME")]),
        ("seller", "Ltd.*", []),
        ("total", "1234.50", [(1, "1.234,50"), (2, "1,234.50")]),
        ("total", "21 234,50", [(2, "21,234.50")]),
        ("due_date", "5 Mar 2026", [(1, "5 March 2026"), (2, "2026-03-05")]),
    ],
)
def test_finds_a_value_in_any_notation(name: str, value: str, expected: list[tuple[int, str]]) -> None:
    assert find(name, value) == expected
    assert find(name, value, limit=1) == expected[:1]


def test_every_type_has_known_fields() -> None:
    for kind in (*DOCUMENT_TYPES, None, "lab_report"):
        assert list_field_names(kind), kind
        assert set(list_field_names(kind)) <= set(FIELD_NAMES)
    assert "total" in list_field_names("invoice")
    assert "total" not in list_field_names("contract")
    assert list_field_names("letter") == FIELD_NAMES


DOCUMENTS = {
    "invoice": "Invoice No. 17\nDate: 2026-03-02\nSeller: Northgate GmbH\nBill to: Acme\nTotal: EUR 90.00",
    "email": "From: a@x.example\nTo: b@y.example\nCc: c@z.example\nDate: 2026-03-02\nSubject: Hello",
    "work_order": "Work order no: 9\nEquipment: Pump 3\nFault: leaks\nAction: sealed\nPriority: high",
    "contract": "This Agreement is made on March 2, 2026 between Acme Ltd and Bolt Inc.\n1. Term\n"
    "It is governed by the laws of the State of Delaware.",
    "court_opinion": "Supreme Court of Ohio\nNo. 2020-1234\nSmith v. Jones\nDecided March 2, 2020",
}


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_users_can_add_every_field_that_readers_find(kind: str) -> None:
    found = {field.name for field in read_fields(kind, [Page(1, DOCUMENTS[kind])], "en")}
    assert found
    assert found <= set(list_field_names(kind))
