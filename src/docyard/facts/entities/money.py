"""Mentions of amounts of money."""

from __future__ import annotations

from collections.abc import Iterator

from docyard.facts.entities.spans import NamedSpan
from docyard.facts.notation.amounts import find_amounts
from docyard.facts.notation.conventions import Conventions

_CERTAIN, _AMBIGUOUS = 0.96, 0.8


def find_money_mentions(text: str, conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield all amounts with a currency; their normal form is EUR 1234.50."""
    for each in find_amounts(text, conventions):
        if each.currency is not None:
            confidence = _CERTAIN if each.certain else _AMBIGUOUS
            yield NamedSpan("money", each.start, each.whole_end, f"{each.currency} {each.normal}", confidence)
