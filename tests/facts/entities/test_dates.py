"""Dates are read in the order of the text's language, and never where there is none."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.facts.entities.dates import dates
from docyard.facts.entities.spans import apart


def read(text: str, language: str | None = "en") -> list[tuple[str, str]]:
    return [(text[each.start : each.end], each.normal) for each in apart(list(dates(text, language)))]


@pytest.mark.parametrize(
    ("text", "language", "normal"),
    [
        ("dated this 3rd day of May, 2020", "en", "2020-05-03"),
        ("on May 6, 2024", "en", "2024-05-06"),
        ("on May 6th 2024", "en", "2024-05-06"),
        ("the 6th of May, 2024", "en", "2024-05-06"),
        ("Date: 06-MAY-24", "en", "2024-05-06"),
        ("SEPT. 14, 1999", "en", "1999-09-14"),
        ("2024-05-06T10:00:00Z", "en", "2024-05-06"),
        ("05/06/2024", "en", "2024-05-06"),
        ("05/06/2024", "fr", "2024-06-05"),
        ("05/06/2024", "de", "2024-06-05"),
        ("13/06/2024", "en", "2024-06-13"),
        ("am 05.06.2024", "de", "2024-06-05"),
        ("05.06.2024", "en", "2024-06-05"),
        ("Berlin, den 5. März 2024", "de", "2024-03-05"),
        ("vom 14. 6. 1994", "de", "1994-06-14"),
        ("am 12.1.99", "de", "1999-01-12"),
        ("le 1er janvier 2020", "fr", "2020-01-01"),
        ("Paris, le 14 février 2021", "fr", "2021-02-14"),
        ("8 août 2019", "fr", "2019-08-08"),
        ("3 de marzo de 2018", "es", "2018-03-03"),
        ("2024年5月6日", "ja", "2024-05-06"),
        ("in March 2021", "en", "2021-03"),
    ],
)
def test_a_date_is_read_as_its_language_writes_it(text: str, language: str, normal: str) -> None:
    assert [found for _, found in read(text, language)] == [normal]


def test_a_date_that_can_be_read_in_one_way_decides_about_the_others() -> None:
    assert [normal for _, normal in read("From 05/06/2024 to 25/06/2024.")] == ["2024-06-05", "2024-06-25"]
    assert [normal for _, normal in read("Du 05/06/2024 au 06/25/2024.", "fr")] == [
        "2024-05-06",
        "2024-06-25",
    ]


def test_an_order_that_is_only_guessed_is_less_sure() -> None:
    (guessed,), (told,) = dates("05/06/2024", "en"), dates("05.06.2024", "de")
    assert guessed.confidence < told.confidence


@pytest.mark.parametrize(
    "text",
    [
        "30 February 2020",
        "31.02.2020",
        "version 1.2.20",
        "192.168.1.20",
        "1/2/3",
        "12345-06-07",
        "may 2020",
        "Section 3.4.12",
    ],
)
def test_what_is_no_date_is_left_alone(text: str) -> None:
    assert read(text) == []


@given(day=st.dates(date(1900, 1, 1), date(2150, 12, 31)), words=st.text("abc .,\n", max_size=20))
def test_every_day_survives_being_written_out(day: date, words: str) -> None:
    written = f"{day.day}. {day:%m}. {day.year}"
    found = [each for each in dates(f"{words} {written} {words}", "de") if each.normal == day.isoformat()]
    assert len(found) == 1


@pytest.mark.parametrize(
    ("text", "language", "normal"),
    [
        ("we phase out 2020", "en", []),
        ("3 set 2010", "en", []),
        ("12 out 2020", "pt", ["2020-10-12"]),
        ("3 set. 2010", "it", ["2010-09-03"]),
    ],
)
def test_months_that_are_words_too(text: str, language: str, normal: list[str]) -> None:
    assert [when for _, when in read(text, language)] == normal
