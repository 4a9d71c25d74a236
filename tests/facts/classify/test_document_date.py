"""The document's own date, among other dates that it contains."""

from __future__ import annotations

import pytest

from docyard.facts.classify.document_date import choose_date
from docyard.facts.notation.evidence import read_conventions
from docyard.model.text.pages import Page
from tests.facts.sample_documents import make_page

LETTER = """Tide Building Society                              8 October 2024
3 Market Place

Mr Bo Moor
29 Hill Rise

Dear Mr Moor,
thank you for your letter of 27 September 2024. The rate holds from 1 December 2024.
"""
TOWN = """Mairie de Brest

Brest, le 19 novembre 2024

Madame,
votre dossier déposé le 4 novembre 2024 est complet.
"""
LABEL = """Harbour Wall Report

Report date: 28 June 2024

The divers went down on 3 June 2024 and on 4 June 2024.
"""
MEETING = """Harbour Users' Committee
Meeting of 9 September 2024

1. The minutes of 12 August 2024 were agreed.
2. Work starts on 4 November 2024.
"""
LIST = """Tide Bank plc                    Statement of account

1 Jan 2025     Opening balance        10.00
3 Jan 2025     Rope                    4.00
9 Jan 2025     Closing balance         6.00
"""
BIRTH = """Ina Moor
Geburtsdatum: 09.05.1991
Seit 2016 Kapitänin
"""
ENTRY = """Gehaltsabrechnung Oktober
Eintritt 01.03.2018
Auszahlungsbetrag 2.848,34 EUR
"""


@pytest.mark.parametrize(
    ("kind", "text", "day"),
    [
        ("letter", LETTER, "2024-10-08"),
        ("letter", TOWN, "2024-11-19"),
        ("report", LABEL, "2024-06-28"),
        ("minutes", MEETING, "2024-09-09"),
        ("bank_statement", LIST, None),
        ("resume", BIRTH, None),
        (None, ENTRY, None),
    ],
    ids=["letter", "town", "label", "meeting", "list", "birth", "entry"],
)
def test_chooses_the_documents_own_date(kind: str | None, text: str, day: str | None) -> None:
    conventions = read_conventions([Page(1, text)], "en" if kind == "letter" else "de")
    assert choose_date(kind, [make_page(text)], conventions) == day
