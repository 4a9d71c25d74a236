"""Sample documents for tests of facts, and pages with word boxes."""

from __future__ import annotations

from collections.abc import Sequence

from docyard.facts import fields
from docyard.facts.entities.recognition import find_mentions
from docyard.facts.entities.spans import NamedSpan
from docyard.facts.notation.evidence import read_conventions
from docyard.model.facts import FieldValue
from docyard.model.text.pages import Page, Word, pack_words

_CHARACTER_WIDTH, _LINE_HEIGHT = 6.0, 14.0


RECEIPT = """jane doe
HARBOUR LIGHT TRADING SDN BHD
(123456-W)
NO 5, JALAN LAUT 3,
81100 JOHOR BAHRU
TAX INVOICE
Doc No : CS0042      Date: 13/03/2018
Cashier : AMI        Time: 12:49
ROPE 10M      1.00    50.90    50.90
LAMP          2.00    25.00    50.00
Sub Total                     100.90
Total Qty                       3
Total                   RM    100.91
Rounding Adj                   -0.01
Net                           100.90
CASH                          120.00
CHANGE                         19.10
GST Summary      Amount      Tax
SR @ 6%           95.19     5.71
Total             95.19     5.71
THANK YOU"""
INVOICE = """Lighthouse Supply GmbH - Am Kai 3 - 24103 Kiel

Quay Stores KG                          Rechnung Nr. 2026-0042
Hafenstr. 9                             Rechnungsdatum: 05.03.2026
20095 Hamburg                           Lieferdatum: 01.03.2026

Pos  Artikel        Menge   Einzelpreis     Gesamt
1    Laterne           10         42,00     420,00
2    Transport          1       1.000,00  1.000,00

Summe netto                               1.420,00
Umsatzsteuer 19%                            269,80
Rechnungsbetrag                           1.689,80 EUR

Zahlbar bis 04.04.2026 auf IBAN DE02 1203 0000 0000 2020 51"""
CONTRACT = """MOORING AGREEMENT

This Mooring Agreement (the "Agreement") is made and entered into as of this 3rd day of May, 2020, by and
between Tide Harbour Savings and Loan Association, Inc., a Delaware corporation having its principal office at
1 Quay Street, Dover ("Harbour"), and Ann Marie Fisher, an individual residing at 5 Sand Road (the "Owner").

WHEREAS, Harbour owns berths, and Far Away Holdings LLC ("Far Away") once wanted them;

NOW, THEREFORE, the parties agree as follows:

1. TERM
The term of this Agreement shall be for three (3) years and shall commence on June 1, 2020 (the
"Effective Date").

2. GOVERNING LAW
This Agreement shall be governed by and construed in accordance with the laws of the State of New York,
without regard to its rules.
"""
OPINION = """United States Court of Appeals
For the First Circuit
No. 20-1507
MOORING CHAPEL,
Plaintiff, Appellant,
v.
JANET T. MILLS, in her official capacity,
Defendant, Appellee.
Before
Howard, Selya, and Barron, Circuit Judges.
Filed: December 22, 2020
We affirm. See State v. Barker, 809 N.E.2d 312 (Ind. 2004)."""
LISTING = """Opinions
Filed 02/22/12, No. 11-1136
USA v. Ahmoi
Filed 02/14/12, No. 10-3234
Castro v. Atty Gen
| Apr 12, 2024 | D081984 [PDF] | Springs v. Desert |
07-23-00142-CR
2011-12 Term"""
LETTER = "Harbour Office\n3 May 2026\n\nDear Ms Fisher,\n\nthe berth is free again.\n\nYours sincerely,\nA. Moor"


def make_page(text: str, number: int = 1) -> Page:
    """Return a page whose words are positioned as in a monospaced font."""
    words = []
    offset = 0
    for row, line in enumerate(text.split("\n")):
        for column, word in _split_words(line):
            box = (
                column * _CHARACTER_WIDTH,
                row * _LINE_HEIGHT,
                (column + len(word)) * _CHARACTER_WIDTH - 1,
                row * _LINE_HEIGHT + 10,
            )
            words.append(Word(offset + column, offset + column + len(word), *box))
        offset += len(line) + 1
    return Page(number, text, 600, 800, pack_words(words))


def _split_words(line: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    column = 0
    for word in line.split(" "):
        if word:
            found.append((column, word))
        column += len(word) + 1
    return found


def read_fields(kind: str | None, pages: Sequence[Page], language: str | None) -> tuple[FieldValue, ...]:
    """Return the fields of a document, read by the conventions of its pages."""
    return fields.read_fields(kind, pages, read_conventions(pages, language, kind))


def find_rule_mentions(text: str, language: str | None) -> list[NamedSpan]:
    """Return the mentions that rules find in a text by the text's own conventions."""
    return find_mentions(text, read_conventions([Page(1, text)], language), use_tagger=False)


def first_values(fields: tuple[FieldValue, ...]) -> dict[str, str]:
    """Return the normal form of the first field with each name."""
    return {field.name: field.normal for field in reversed(fields)}


def list_values(fields: tuple[FieldValue, ...], name: str) -> list[str]:
    """Return the normal forms of all fields with this name."""
    return [field.normal for field in fields if field.name == name]
