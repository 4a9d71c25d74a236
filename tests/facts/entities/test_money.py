"""Sums are read with the decimal sign of the text's language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.facts.entities.money import money
from docyard.facts.entities.spans import apart


def read(text: str, language: str | None = "en") -> list[str]:
    return [each.normal for each in apart(list(money(text, language)))]


@pytest.mark.parametrize(
    ("text", "language", "normal"),
    [
        ("$1,234.50", "en", "USD 1234.50"),
        ("US$ 5,000", "en", "USD 5000.00"),
        ("$3.2 million", "en", "USD 3200000.00"),
        ("£20k", "en", "GBP 20000.00"),
        ("$1.5bn", "en", "USD 1500000000.00"),
        ("12 dollars", "en", "USD 12.00"),
        ("EUR 1.234", "de", "EUR 1234.00"),
        ("EUR 1,234", "en", "EUR 1234.00"),
        ("1.234,50 €", "de", "EUR 1234.50"),
        ("€1,234.50", "de", "EUR 1234.50"),
        ("12,- EUR", "de", "EUR 12.00"),
        ("3,2 Mio. EUR", "de", "EUR 3200000.00"),
        ("2 Mrd. Euro", "de", "EUR 2000000000.00"),
        ("1 234,56 €", "fr", "EUR 1234.56"),
        ("3,5 milliards d'euros", "fr", "EUR 3500000000.00"),
        ("CHF 1'234.50", "de", "CHF 1234.50"),
        ("RM 12.50", "en", "MYR 12.50"),
        ("1 200,50 kr", "sv", "SEK 1200.50"),
        ("C$ 10", "en", "CAD 10.00"),
    ],
)
def test_a_sum_is_read_as_its_language_writes_it(text: str, language: str, normal: str) -> None:
    assert read(text, language) == [normal]


def test_in_a_row_of_sums_each_number_keeps_its_own_unit() -> None:
    assert read("10.00 EUR 20.00 EUR") == ["EUR 10.00", "EUR 20.00"]
    assert read("EUR 10.00 EUR 20.00") == ["EUR 10.00", "EUR 20.00"]


@pytest.mark.parametrize("text", ["room 12", "5 m", "Euro", "in 2024", "eur 5 apples", "A4 paper"])
def test_what_is_no_money_is_left_alone(text: str) -> None:
    assert read(text) == []


@given(st.integers(0, 10**9), st.integers(0, 99))
def test_the_same_sum_has_one_normal_form(whole: int, cents: int) -> None:
    english = f"{whole:,}.{cents:02}"
    german = english.translate(str.maketrans(",.", ".,"))
    assert read(f"EUR {english}", "en") == read(f"{german} €", "de") == [f"EUR {whole}.{cents:02}"]
