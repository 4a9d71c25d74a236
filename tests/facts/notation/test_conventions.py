"""The order of day and month and the decimal mark are decided once for a document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.facts.entities.recognition import read_mentions
from docyard.facts.notation.conventions import OrderEvidence
from docyard.facts.notation.evidence import read_conventions
from docyard.model.text.pages import Page
from tests.facts.sample_documents import first_values, make_page, read_fields


@pytest.mark.parametrize(
    ("text", "language", "day_first", "order"),
    [
        ("05/06/2024 and 25/06/2024", "en", True, OrderEvidence.DATES),
        ("05/06/2024 and 06/25/2024", "en", False, OrderEvidence.DATES),
        ("05/06/2024 und 06/25/2024", "de", False, OrderEvidence.DATES),
        ("05/06/2024, that is June 5, 2024", "en", True, OrderEvidence.DATES),
        ("05/06/2024, that is May 6, 2024", "en", False, OrderEvidence.DATES),
        ("Fällig 05/06/2024, 78741 Ort", "de", True, OrderEvidence.LANGUAGE),
        ("Due 05/06/2024, Austin, TX 78741", "en", False, OrderEvidence.REGION),
        ("Due 05/06/2024", "en", True, OrderEvidence.NONE),
        ("Due 05/06/2024, printed 2024-03-04", "en", True, OrderEvidence.NONE),
        ("Due 05/06/2024, printed 4 March 2024", "en", True, OrderEvidence.REGION),
        ("25/06/2024 and 06/25/2024", "en", True, OrderEvidence.NONE),
    ],
)
def test_decides_the_order_of_day_and_month(text: str, language: str, day_first: bool, order: OrderEvidence) -> None:
    found = read_conventions([Page(1, text)], language)
    assert (found.day_first, found.order) == (day_first, order)


@pytest.mark.parametrize(
    ("text", "language", "comma"),
    [
        ("12,50 and 1.234", "en", True),
        ("12.50 and 1.234", "de", False),
        ("12.50 and 12,50", "de", True),
        ("1.234", "de", True),
        ("1.234", "en", False),
        ("1.234", None, None),
    ],
)
def test_decides_the_decimal_mark(text: str, language: str | None, comma: bool | None) -> None:
    assert read_conventions([Page(1, text)], language).decimal_comma is comma


RECEIPT = """HARBOUR LIGHT TRADING SDN BHD
Date: 09/03/{year}
Total                   RM    100.90
"""


@pytest.mark.parametrize("year", ["2018", "18", "55"])
@pytest.mark.parametrize("other", ["", "Printed 25/03/2018", "Printed 03/25/2018"])
def test_a_field_and_a_mention_of_the_same_text_have_the_same_date(year: str, other: str) -> None:
    pages = [make_page(RECEIPT.format(year=year)), Page(2, other)]
    field = first_values(read_fields("receipt", pages, "en"))["date"]
    dates = [each.normal for each in read_mentions(pages, "en") if each.kind == "date" and each.span.page == 1]
    assert dates == [field]


@given(st.integers(1, 12), st.integers(1, 12), st.booleans())
def test_evidence_on_a_later_page_decides_dates_on_the_first(day: int, month: int, day_first: bool) -> None:
    numbers = (day, month) if day_first else (month, day)
    evidence = "31/01/2024" if day_first else "01/31/2024"
    pages = [Page(1, "{:02}/{:02}/2024".format(*numbers)), *(Page(n, "…") for n in range(2, 9)), Page(9, evidence)]
    first = next(each for each in read_mentions(pages, "en") if each.span.page == 1)
    assert first.normal == f"2024-{month:02}-{day:02}"
