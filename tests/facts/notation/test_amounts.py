"""Amounts in the notations of people, cash registers and OCR."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.facts.notation.amounts import find_amounts
from docyard.facts.notation.currencies import find_currencies
from docyard.facts.notation.evidence import read_conventions
from docyard.model.text.pages import Page


def read(text: str, language: str | None = "en") -> list[str]:
    """Return the amounts of money in a text, read by the text's own conventions."""
    found = find_amounts(text, read_conventions([Page(1, text)], language))
    return [f"{each.currency} {each.normal}" for each in found if each.currency]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.234,56 €", "1234.56"),
        ("1,234.56", "1234.56"),
        ("1 234,56", "1234.56"),
        ("1'234.50", "1234.50"),
        ("1.234.56", "1234.56"),
        ("RM9.00", "9.00"),
        ("9 .00", "9.00"),
        ("9. 00", "9.00"),
        ("(5.00)", "-5.00"),
        ("5.00-", "-5.00"),
        ("-233,47 €", "-233.47"),
        ("EUR 100", "100.00"),
    ],
)
def test_reads_the_amounts_of_a_bill(text: str, value: str) -> None:
    (found,) = find_amounts(text)
    assert found.normal == value


@pytest.mark.parametrize("text", ["7%", "0.60%", "12/03/2018", "10:22", "0.025 €", "v1.234", "23.5", "A-12.50"])
def test_finds_no_exact_amount_in_other_numbers(text: str) -> None:
    assert not any(found.exact for found in find_amounts(text))


@pytest.mark.parametrize(
    ("text", "language", "normal"),
    [
        ("$1,234.50", "en", "$ 1234.50"),
        ("US$ 5,000", "en", "USD 5000.00"),
        ("$3.2 million", "en", "$ 3200000.00"),
        ("£20k", "en", "GBP 20000.00"),
        ("$1.5bn", "en", "$ 1500000000.00"),
        ("12 dollars", "en", "$ 12.00"),
        ("EUR 1.234", "de", "EUR 1234.00"),
        ("EUR 1,234", "en", "EUR 1234.00"),
        ("1.234,50 €", "de", "EUR 1234.50"),
        ("€1,234.50", "de", "EUR 1234.50"),
        ("12,- EUR", "de", "EUR 12.00"),
        ("3,2 Mio. EUR", "de", "EUR 3200000.00"),
        ("2 Mrd. Euro", "de", "EUR 2000000000.00"),
        ("5 Billionen Euro", "de", "EUR 5000000000000.00"),
        ("1 234,56 €", "fr", "EUR 1234.56"),
        ("3,5 milliards d'euros", "fr", "EUR 3500000000.00"),
        ("CHF 1'234.50", "de", "CHF 1234.50"),
        ("RM 12.50", "en", "MYR 12.50"),
        ("1 200,50 kr", "sv", "SEK 1200.50"),
        ("C$ 10", "en", "CAD 10.00"),
        ("a fee (EUR 500) is due", "en", "EUR 500.00"),
        ("between $5-10 a day", "en", "$ 5.00"),
        ("paid EUR 5, 20 of them late", "en", "EUR 5.00"),
    ],
)
def test_reads_amounts_in_several_languages(text: str, language: str, normal: str) -> None:
    assert read(text, language) == [normal]


def test_initials_after_an_amount_are_no_scale() -> None:
    assert read("$1,160.00 M.N.") == read("$1,160.00 M.N. MN") == ["MXN 1160.00"]
    assert read("México: $160.00 MN") == ["MXN 160.00"]
    assert read("£20 K.C.") == ["GBP 20.00"]
    assert read("$5m. Then") == read("$5 million. Then") == ["$ 5000000.00"]
    assert read("USD 1.25 mn") == ["USD 1250000.00"]


def test_each_amount_in_a_row_has_its_own_currency() -> None:
    assert read("10.00 EUR 20.00 EUR") == ["EUR 10.00", "EUR 20.00"]
    assert read("EUR 10.00 EUR 20.00") == ["EUR 10.00", "EUR 20.00"]


@pytest.mark.parametrize("text", ["room 12", "5 m", "Euro", "in 2024", "eur 5 apples", "A4 paper", "rm 5", "5 rs"])
def test_finds_no_amounts_in_other_words(text: str) -> None:
    assert read(text) == []


@given(st.decimals(0, 9_999_999, places=2))
def test_an_amount_has_the_same_value_in_english_and_german(value: Decimal) -> None:
    english = f"{value:,.2f}"
    german = english.translate(str.maketrans(",.", ".,"))
    for written in (english, german):
        (found,) = find_amounts(f"Total {written}")
        assert found.normal == f"{value:.2f}"
    assert read(f"EUR {english}") == read(f"{german} €", "de") == [f"EUR {value:.2f}"]


def test_finds_currencies_by_sign_and_code() -> None:
    codes = [found.code for found in find_currencies("RM 5, $3, 4 EUR, US$ 2; WARM")]
    assert codes == ["MYR", "$", "EUR", "USD"]


@pytest.mark.parametrize(
    ("evidence", "normal"),
    [
        ("", "$ 5.00"),
        ("Springfield, IL 62701", "USD 5.00"),
        ("All prices in USD", "USD 5.00"),
        ("All prices in CAD", "CAD 5.00"),
        ("12 Quay Street, Halifax NS B3H 4R2", "CAD 5.00"),
        ("www.quay.com.au", "AUD 5.00"),
        ("ABN 51 824 753 556", "AUD 5.00"),
        ("mail@quay.co.nz", "NZD 5.00"),
        ("Singapore 049318", "SGD 5.00"),
        ("Kowloon, Hong Kong", "HKD 5.00"),
        ("12,50 EUR", "$ 5.00"),
        ("Springfield, IL 62701 or Sydney NSW 2000", "$ 5.00"),
        ("Amounts in USD; 3 CAD", "$ 5.00"),
        ("Quay Ltd, Inc.", "$ 5.00"),
        ("12 Quay Street, Halifax NS B3H 4R2, about USD 3.75", "$ 5.00"),
        ("Kowloon, Hong Kong. Cheques in USD are accepted", "$ 5.00"),
        ("Dear Virginia Quay", "$ 5.00"),
        ("Quay Shipping, Richmond, Virginia", "USD 5.00"),
        ("under the laws of Delaware", "USD 5.00"),
        ("Calle Washington 12, Bogotá, Colombia", "$ 5.00"),
        ("COMPANIES ACT 2006", "$ 5.00"),
        ("Braddon ACT 2612", "AUD 5.00"),
        ("www.quay.gov.au", "AUD 5.00"),
    ],
)
def test_the_document_decides_which_dollar_is_meant(evidence: str, normal: str) -> None:
    text = f"{evidence}\nPay $5.00"
    conventions = read_conventions([Page(1, text)], "en")
    (found,) = (each for each in find_amounts(text, conventions) if "$" in text[each.start : each.whole_end])
    assert f"{found.currency} {found.normal}" == normal


def test_a_code_next_to_a_dollar_sign_decides() -> None:
    text = "$5.00 CAD and $6.00 USD"
    found = find_amounts(text, read_conventions([Page(1, text)], "en"))
    assert [each.currency for each in found] == ["CAD", "USD"]


def test_an_amount_without_a_sign_or_code_has_no_currency() -> None:
    assert [found.currency for found in find_amounts("Total 12.50, Springfield, IL 62701")][:1] == [None]
