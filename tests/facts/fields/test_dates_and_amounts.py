"""Dates and amounts as people, tills and scanners write them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.facts.fields.amounts import amounts_in, currencies_in
from docyard.facts.fields.dates import dates_in, day_first_in, packed_dates_in
from docyard.facts.fields.invoice.invoice import writes_day_first

DAYS = st.dates(date(1950, 1, 1), date(2069, 12, 31))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("am 5. März 2021 in Kiel", "2021-03-05"),
        ("le 20 avril 2014", "2014-04-20"),
        ("this 1st day of June, 2017", "2017-06-01"),
        ("March 5, 2018", "2018-03-05"),
        ("14 MAR 2018", "2018-03-14"),
        ("01-Jan-18 9:00", "2018-01-01"),
        ("05.06.2024", "2024-06-05"),
        ("2018/02/22 13:34", "2018-02-22"),
        ("26-05-201815:16:13", "2018-05-26"),
        ("18-11-18 13:58", "2018-11-18"),
        ("5 de mayo de 2020", "2020-05-05"),
    ],
)
def test_a_date_in_any_dress(text: str, day: str) -> None:
    (found,) = dates_in(text)
    assert found.iso == day


@pytest.mark.parametrize(
    "text", ["1.2.3", "03.1234.5678", "31/02/2024", "12.345.678", "10:22", "may 2020", "3.5.21.7"]
)
def test_no_date_is_seen_where_there_is_none(text: str) -> None:
    assert dates_in(text) == []


@given(DAYS)
def test_every_day_is_read_in_every_shape(day: date) -> None:
    shapes = (f"{day:%d/%m/%Y}", f"{day:%d.%m.%Y}", f"{day:%Y-%m-%d}", f"{day:%d %B %Y}", f"{day:%B %d, %Y}")
    for shape in shapes:
        text = f"x {shape} y"
        (found,) = dates_in(text)
        assert (found.day, text[found.start : found.end]) == (day, shape)
    (found,) = dates_in(f"{day:%m/%d/%Y}", day_first=False)
    assert found.day == day


def test_the_order_of_day_and_month_is_told_by_other_dates_or_by_the_country() -> None:
    assert day_first_in("05/06/2024 and 25/06/2024") is True
    assert day_first_in("05/06/2024 and 06/25/2024") is False
    assert day_first_in("05/06/2024") is None
    assert writes_day_first("Due 05/06/2024, Austin, TX 78741", "en") is False
    assert writes_day_first("Fällig 05/06/2024, 78741 Ort", "de") is True
    assert dates_in("05/06/2024", day_first=False)[0].iso == "2024-05-06"


def test_eight_figures_may_be_a_day() -> None:
    assert [found.iso for found in packed_dates_in("27032018 No :CS-20243 20180328")] == [
        "2018-03-27",
        "2018-03-28",
    ]
    assert packed_dates_in("99992018 12345678") == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.234,56 €", "1234.56"),
        ("1,234.56", "1234.56"),
        ("1 234,56", "1234.56"),
        ("1'234.50", "1234.50"),
        ("RM9.00", "9.00"),
        ("9 .00", "9.00"),
        ("(5.00)", "-5.00"),
        ("5.00-", "-5.00"),
        ("-233,47 €", "-233.47"),
        ("EUR 100", "100.00"),
    ],
)
def test_an_amount_in_any_dress(text: str, value: str) -> None:
    (found,) = amounts_in(text)
    assert found.normal == value


@pytest.mark.parametrize("text", ["7%", "0.60%", "12/03/2018", "10:22", "0.025 €", "v1.234", "23.5"])
def test_no_amount_is_seen_where_there_is_none(text: str) -> None:
    assert not any(found.exact for found in amounts_in(text))


@given(st.decimals(0, 9_999_999, places=2))
def test_an_amount_keeps_its_value_in_english_and_german(value: object) -> None:
    english = f"{value:,.2f}"
    german = english.translate(str.maketrans(",.", ".,"))
    for shown in (english, german):
        (found,) = amounts_in(f"Total {shown}")
        assert found.normal == f"{value:.2f}"


def test_currencies_by_sign_and_by_letters() -> None:
    assert [found.code for found in currencies_in("RM 5, $3, 4 EUR, US$ 2; WARM")] == [
        "MYR",
        "USD",
        "EUR",
        "USD",
    ]
