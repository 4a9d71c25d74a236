"""Mentions of dates: how sure they are."""

from __future__ import annotations

import pytest

from docyard.facts.entities.dates import find_date_mentions
from docyard.facts.notation.evidence import read_conventions
from docyard.model.text.pages import Page


def confidence(text: str, language: str) -> float:
    """Return the confidence of the first date of a text."""
    return next(find_date_mentions(text, read_conventions([Page(1, text)], language))).confidence


@pytest.mark.parametrize(
    ("surer", "less_sure"),
    [
        (("6 May 2024", "en"), ("05.06.2024", "de")),
        (("05.06.2024", "de"), ("05/06/2024", "en")),
        (("05/06/2024 25/06/2024", "en"), ("05/06/2024", "en")),
        (("25/06/2024", "en"), ("25/06/24", "en")),
    ],
)
def test_a_date_that_can_be_read_in_two_ways_is_less_sure(
    surer: tuple[str, str], less_sure: tuple[str, str]
) -> None:
    assert confidence(*surer) > confidence(*less_sure)
