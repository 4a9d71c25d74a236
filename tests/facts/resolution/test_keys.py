"""Keys of entities, which are equal for all spellings of a name, and their similarity."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.facts.resolution.keys import find_legal_form, make_entity_key
from docyard.facts.resolution.similarity import lcs_ratio, measure_similarity
from docyard.facts.vocabulary import ENTITY_KINDS

NAMES = st.text(
    st.sampled_from("abcABC ÄÖéßøŁ.,&'’-§/()1２ıİﬁ\n\t") | st.characters(exclude_categories=("Cs", "Cc")), max_size=30
)


@pytest.mark.parametrize(
    ("kind", "key", "spellings"),
    [
        ("organisation", "acme", ["Acme", "ACME, Inc.", "Acme Incorporated", "The Acme Co., Ltd.", "acme L.L.C."]),
        ("organisation", "muller", ["Müller GmbH & Co. KG", "MÜLLER GMBH", "Muller  AG"]),
        ("organisation", "ibm", ["I.B.M.", "IBM Corp.", "ibm corporation"]),
        ("organisation", "loreal", ["L'Oréal S.A.", "L’ORÉAL"]),
        ("organisation", "at and t", ["AT&T Inc.", "AT & T", "AT and T"]),
        ("organisation", "inc", ["Inc."]),
        ("person", "john q smith", ["Dr. John Q. Smith", "Smith, John Q.", "JOHN Q SMITH, Esq.", "Mr John Q. Smith"]),
        ("person", "john smith jr", ["John Smith, Jr.", "John Smith Jr"]),
        ("person", "pat obrien", ["O’Brien, Pat", "Pat O'Brien, M.D."]),
        ("place", "hague", ["The Hague", "the  hague"]),
        ("email", "a.b@c.de", ["A.B@C.de"]),
        ("iban", "de89370400440532013000", ["DE89 3704 0044 0532 0130 00"]),
        ("statute", "§ 823 abs 1 bgb", ["§ 823 Abs. 1 BGB", "§  823 abs. 1 BGB"]),
        ("citation", "410 us 113", ["410 U.S. 113"]),
    ],
)
def test_all_spellings_of_a_name_have_one_key(kind: str, key: str, spellings: list[str]) -> None:
    assert {spelling: make_entity_key(kind, spelling) for spelling in spellings} == dict.fromkeys(spellings, key)


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("person", "John A. Smith", "John B. Smith"),
        ("person", "John Smith", "John Smith Jr."),
        ("organisation", "Acme Holdings", "Acme Trading"),
        ("case_number", "12-345", "12-346"),
    ],
)
def test_different_names_have_different_keys(kind: str, one: str, other: str) -> None:
    assert make_entity_key(kind, one) != make_entity_key(kind, other)


def test_dates_and_amounts_have_no_key() -> None:
    assert (make_entity_key("date", "2026-01-01"), make_entity_key("money", "EUR 1.00")) == ("", "")
    assert {"person", "organisation", "iban"} <= set(ENTITY_KINDS)


@given(st.sampled_from(ENTITY_KINDS), NAMES)
def test_the_key_of_a_key_is_the_key_itself(kind: str, name: str) -> None:
    key = make_entity_key(kind, name)
    assert len(key) <= 300
    assert key == key.strip()
    if kind != "person" or "," not in name:
        assert make_entity_key(kind, key) == key


@given(st.sampled_from(ENTITY_KINDS), NAMES)
def test_a_key_ignores_case_and_surrounding_space(kind: str, name: str) -> None:
    assert make_entity_key(kind, name.upper().lower()) == make_entity_key(kind, name.lower())
    assert make_entity_key(kind, f"  {name}\n") == make_entity_key(kind, name)


def test_a_legal_form_has_one_word_for_all_spellings() -> None:
    forms = {"Acme Inc.": "inc", "Acme Incorporated": "inc", "Acme Company Limited": "ltd", "Acme, LLC": "llc"}
    assert {name: find_legal_form(name) for name in forms} == forms
    assert find_legal_form("Acme") == find_legal_form("Inc.") == ""


def measure_common(one: str, other: str) -> int:
    """Return the length of the longest common subsequence, by the textbook algorithm."""
    rows = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            rows[i + 1][j + 1] = rows[i][j] + 1 if a == b else max(rows[i][j + 1], rows[i + 1][j])
    return rows[-1][-1]


WORDS = st.text("ab c", max_size=12)


@given(WORDS, WORDS)
def test_the_ratio_of_common_characters_is_exact(one: str, other: str) -> None:
    total = len(one) + len(other)
    assert lcs_ratio(one, other) == (2 * measure_common(one, other) / total if total else 1.0)


@given(st.sampled_from(["person", "organisation", "place"]), WORDS, WORDS)
def test_similarity_is_symmetric(kind: str, one: str, other: str) -> None:
    assert measure_similarity(kind, one, other) == measure_similarity(kind, other, one)
    assert 0 <= measure_similarity(kind, one, other) <= 1
    assert measure_similarity(kind, one, one) == 1


@pytest.mark.parametrize(
    ("kind", "one", "other", "similar"),
    [
        ("person", "j smith", "john smith", True),
        ("person", "jane smith", "john smith", False),
        ("person", "john smith", "john smyth", True),
        ("person", "smith john", "john smith", False),
        ("organisation", "ibm", "international business machines", True),
        ("organisation", "acme trading", "acme tradng", True),
        ("organisation", "trading acme", "acme trading", True),
        ("organisation", "acme trading", "acme shipping", False),
    ],
)
def test_similarity_separates_similar_and_different_names(kind: str, one: str, other: str, similar: bool) -> None:
    assert (measure_similarity(kind, one, other) >= 0.88) == similar
