"""Mentions of dates, and their confidence."""

from __future__ import annotations

import pytest

from docyard.facts.entities.dates import find_date_mentions
from docyard.facts.notation.evidence import read_conventions
from docyard.model.text.pages import Page


def confidence(text: str, language: str) -> float:
    """Return the confidence of the first date in a text."""
    return next(find_date_mentions(text, read_conventions([Page(1, text)], language))).confidence


@pytest.mark.parametrize(
    ("clear", "ambiguous"),
    [
        (("6 May 2024", "en"), ("05.06.2024", "de")),
        (("05.06.2024", "de"), ("05/06/2024", "en")),
        (("05/06/2024 25/06/2024", "en"), ("05/06/2024", "en")),
        (("25/06/2024", "en"), ("25/06/24", "en")),
    ],
)
def test_an_ambiguous_date_has_a_lower_confidence(clear: tuple[str, str], ambiguous: tuple[str, str]) -> None:
    assert confidence(*clear) > confidence(*ambiguous)
