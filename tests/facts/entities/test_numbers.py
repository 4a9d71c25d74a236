"""E-mail addresses, and telephone, account, VAT and invoice numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.facts.entities.account_numbers import find_ibans, find_invoice_numbers, find_vat_numbers
from docyard.facts.entities.contacts import find_emails, find_phones
from docyard.facts.notation.conventions import UNKNOWN, Conventions
from tests.facts.sample_documents import find_rule_mentions


def kinds(text: str, language: str = "en") -> list[tuple[str, str]]:
    return [(each.kind, each.normal) for each in find_rule_mentions(text, language)]


def test_finds_an_email_address_without_the_brackets_around_it() -> None:
    (found,) = find_emails("Write to <Jane.Doe+x@Mail.Example.com>.", UNKNOWN)
    assert found.normal == "jane.doe+x@mail.example.com"


@pytest.mark.parametrize(
    ("text", "language", "normal"),
    [
        ("Tel.: 030 1234567", "de", "+49301234567"),
        ("Phone: (212) 736-5000", "en", "+12127365000"),
        ("+44 20 7946 0018", "de", "+442079460018"),
        ("Tél. 01 42 68 53 00", "fr", "+33142685300"),
        ("call 212-736-5000", "en", "+12127365000"),
    ],
)
def test_reads_a_telephone_number_by_country(text: str, language: str, normal: str) -> None:
    assert [each.normal for each in find_phones(text, Conventions(language))] == [normal]


@pytest.mark.parametrize(
    ("text", "language", "kind"),
    [
        ("Tel. am 05.06.2024 erreichbar", "de", "date"),
        ("IBAN: DE89 3704 0044 0532 0130 00", "de", "iban"),
        ("Invoice No. 2024001234", "en", "invoice_number"),
        ("Case No. 2:19-cv-01234", "en", "case_number"),
    ],
)
def test_other_numbers_are_not_telephone_numbers(text: str, language: str, kind: str) -> None:
    assert [found for found, _ in kinds(text, language)] == [kind]


def test_an_iban_ends_at_the_length_of_its_country() -> None:
    text = "IBAN DE89 3704 0044 0532 0130 00 BIC COBADEFF GB82 WEST 1234 5698 7654 32 XY"
    assert [text[each.start : each.end] for each in find_ibans(text, UNKNOWN)] == [
        "DE89 3704 0044 0532 0130 00",
        "GB82 WEST 1234 5698 7654 32",
    ]


@given(index=st.integers(2, 21), change=st.integers(1, 9))
def test_rejects_an_iban_with_one_wrong_digit(index: int, change: int) -> None:
    right = "DE89370400440532013000"
    wrong = right[:index] + str((int(right[index]) + change) % 10) + right[index + 1 :]
    assert [each.normal for each in find_ibans(right, UNKNOWN)] == [right]
    assert list(find_ibans(wrong, UNKNOWN)) == []


@pytest.mark.parametrize(
    "number",
    [
        "DE136695976", "ATU13585627", "BE0428759497", "FR40303265045", "GB980780684", "IT00743110157",
        "NL004495445B01", "PL8567346215", "LU15027442", "DK13585628", "FI20774740", "SE123456789701",
        "PT501964843", "IE6433435F", "CHE116281710",
    ],
)  # fmt: skip
def test_rejects_a_vat_number_with_wrong_check_digits(number: str) -> None:
    digits = [index for index, character in enumerate(number) if character.isdigit()]
    index = digits[2]
    wrong = number[:index] + str((int(number[index]) + 1) % 10) + number[index + 1 :]
    assert [each.normal for each in find_vat_numbers(number, UNKNOWN)] == [number]
    assert list(find_vat_numbers(wrong, UNKNOWN)) == []


def test_a_vat_number_without_an_implemented_check_needs_a_label() -> None:
    assert [each.normal for each in find_vat_numbers("VAT No. ESB58378431", UNKNOWN)] == ["ESB58378431"]
    assert list(find_vat_numbers("Part ESB58378431", UNKNOWN)) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Invoice No. 2024/0012", "2024/0012"),
        ("INVOICE #991", "991"),
        ("Rechnungsnummer: RE-2024-17", "RE-2024-17"),
        ("Rechnung Nr. 12a", "12A"),
        ("Facture n° F2024-1", "F2024-1"),
    ],
)
def test_finds_an_invoice_number_after_its_label(text: str, number: str) -> None:
    assert [each.normal for each in find_invoice_numbers(text, UNKNOWN)] == [number]


@pytest.mark.parametrize("text", ["invoice date 2024", "Invoice No. 12.05.2024", "the invoice number is missing"])
def test_ignores_words_after_invoice_that_are_not_its_number(text: str) -> None:
    assert list(find_invoice_numbers(text, UNKNOWN)) == []
