"""Mentions, fields and entities read the same legal forms, currencies and months."""

from __future__ import annotations

import pytest

from docyard.facts.entities.dates import dates
from docyard.facts.entities.money import money
from docyard.facts.entities.names import companies
from docyard.facts.fields.amounts import amounts_in
from docyard.facts.fields.dates import dates_in
from docyard.facts.fields.name_ends import name_end
from docyard.facts.resolution.keys import entity_key

_FORMS = (
    *(
        "GmbH",
        "GmbH & Co. KG",
        "AG",
        "KG",
        "OHG",
        "UG",
        "e.K.",
        "SE",
        "Inc.",
        "Corp.",
        "LLC",
        "L.L.C.",
        "LLP",
    ),
    *(
        "Ltd.",
        "Limited",
        "PLC",
        "Pty Ltd",
        "Pte. Ltd.",
        "S.A.",
        "SARL",
        "SAS",
        "SPRL",
        "S.p.A.",
        "S.r.l.",
        "S.L.",
    ),
    *("B.V.", "N.V.", "A/S", "ApS", "Oy", "AB", "Sdn. Bhd.", "Company"),
)


@pytest.mark.parametrize("form", _FORMS)
def test_a_legal_form_is_one_to_all(form: str) -> None:
    name = f"Harbour Quay {form}"
    text = f"{name} sells ropes"
    assert [text[each.start : each.end] for each in companies(text, "en")] == [name]
    assert text[: name_end(text, 0)].rstrip(".") == name.rstrip(".")
    assert entity_key("organisation", name) == "harbour quay"


@pytest.mark.parametrize("unit", ["EUR", "NZD", "CHF", "HKD", "€", "£", "US$", "NZ$", "RM", "₹"])
def test_a_currency_is_one_to_all(unit: str) -> None:
    text = f"Total {unit} 1,234.50"
    (mention,) = money(text, "en")
    (amount,) = amounts_in(text)
    assert mention.normal == f"{amount.currency} {amount.value}"


@pytest.mark.parametrize(
    ("text", "language"),
    [("3. März 2024", "de"), ("12 août 2023", "fr"), ("5 setiembre 2022", "es"), ("1 maja 2021", "pl"),
     ("7 out 2020", "pt"), ("9 Jänner 2019", "de")],
)  # fmt: skip
def test_a_month_is_one_to_all(text: str, language: str) -> None:
    (mention,) = dates(text, language)
    (dated,) = dates_in(text)
    assert mention.normal == dated.iso
