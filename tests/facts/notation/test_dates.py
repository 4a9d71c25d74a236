"""Dates in the notations of people, cash registers and OCR."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.dates import find_dates, find_eight_digit_dates, find_months, is_date
from docyard.facts.notation.evidence import read_conventions
from docyard.model.text.pages import Page

DAYS = st.dates(date(1950, 1, 1), date(2049, 12, 31))


def read(text: str, language: str | None = None) -> list[str]:
    """Return the dates of a text, read by the text's own conventions; months without a day come last."""
    conventions = read_conventions([Page(1, text)], language)
    found = find_dates(text, conventions)
    return [each.iso for each in (*found, *find_months(text, found, conventions))]


@pytest.mark.parametrize(
    ("text", "language", "day"),
    [
        ("am 5. März 2021 in Kiel", "de", "2021-03-05"),
        ("Berlin, den 5. März 2024", "de", "2024-03-05"),
        ("vom 14. 6. 1994", "de", "1994-06-14"),
        ("am 12.1.99", "de", "1999-01-12"),
        ("9 Jänner 2019", "de", "2019-01-09"),
        ("le 20 avril 2014", "fr", "2014-04-20"),
        ("le 1er janvier 2020", "fr", "2020-01-01"),
        ("Paris, le 14 février 2021", "fr", "2021-02-14"),
        ("8 août 2019", "fr", "2019-08-08"),
        ("5 de mayo de 2020", "es", "2020-05-05"),
        ("5 setiembre 2022", "es", "2022-09-05"),
        ("1 maja 2021", "pl", "2021-05-01"),
        ("7 out 2020", "pt", "2020-10-07"),
        ("3 set. 2010", "it", "2010-09-03"),
        ("this 1st day of June, 2017", "en", "2017-06-01"),
        ("dated this 3rd day of May, 2020", "en", "2020-05-03"),
        ("the 6th of May, 2024", "en", "2024-05-06"),
        ("March 5, 2018", "en", "2018-03-05"),
        ("on May 6th 2024", "en", "2024-05-06"),
        ("SEPT. 14, 1999", "en", "1999-09-14"),
        ("14 MAR 2018", "en", "2018-03-14"),
        ("14MAR2018", None, "2018-03-14"),
        ("01-Jan-18 9:00", "en", "2018-01-01"),
        ("Date: 06-MAY-24", "en", "2024-05-06"),
        ("12 March '18", "en", "2018-03-12"),
        ("05.06.2024", None, "2024-06-05"),
        ("2018/02/22 13:34", None, "2018-02-22"),
        ("2024-05-06T10:00:00Z", "en", "2024-05-06"),
        ("2024年5月6日", "ja", "2024-05-06"),
        ("26-05-201815:16:13", None, "2018-05-26"),
        ("18-11-18 13:58", None, "2018-11-18"),
        ("Date12/03/2018", None, "2018-03-12"),
        ("12.03.55", "de", "1955-03-12"),
        ("12.03.49", "de", "2049-03-12"),
        ("in March 2021", "en", "2021-03"),
    ],
)
def test_reads_dates_in_several_notations(text: str, language: str | None, day: str) -> None:
    assert read(text, language) == [day]


@pytest.mark.parametrize(
    "text",
    [
        "1.2.3",
        "1/2/3",
        "03.1234.5678",
        "31/02/2024",
        "30 February 2020",
        "31.02.2020",
        "12.345.678",
        "10:22",
        "may 2020",
        "3.5.21.7",
        "192.168.1.20",
        "12345-06-07",
        "version 1.2.20",
        "Section 3.4.12",
        "RE12/03/18",
        "12/03/2018-0042",
        "we phase out 2020",
        "3 set 2010",
        "on March 12, 50 people came",
        "on 12 May 20 people came",
    ],
)
def test_finds_no_date_in_other_numbers_and_words(text: str) -> None:
    assert read(text, "en") == []


@given(DAYS)
def test_reads_every_day_in_every_notation(day: date) -> None:
    notations = (
        f"{day:%d/%m/%Y}",
        f"{day:%d.%m.%Y}",
        f"{day.day}. {day:%m}. {day.year}",
        f"{day:%Y-%m-%d}",
        f"{day:%d %B %Y}",
        f"{day:%B %d, %Y}",
        f"{day:%d-%b-%y}",
    )
    for notation in notations:
        text = f"x {notation} y"
        (found,) = find_dates(text)
        assert (found.value, text[found.start : found.end]) == (day, notation)
    (found,) = find_dates(f"{day:%m/%d/%Y}", Conventions(day_first=False))
    assert found.value == day


def test_reads_both_ends_of_a_period_without_spaces() -> None:
    assert read("01.03.2018-31.03.2018") == ["2018-03-01", "2018-03-31"]


def test_finds_eight_digit_dates() -> None:
    found = find_eight_digit_dates("27032018 No :CS-20243 20180328 99992018 12345678")
    assert [each.iso for each in found] == ["2018-03-27", "2018-03-28"]


def test_recognises_a_text_that_is_only_a_date() -> None:
    assert is_date(" 5 March 2021 ")
    assert not is_date("5 March 2021, Kiel")
