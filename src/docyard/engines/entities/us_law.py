"""Citations of the United States, by eyecite."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from docyard.engines.entities.found import Found

# Loading eyecite takes half a second, which most documents need not pay.
_LIKELY = re.compile(
    r"\d\s{1,3}(?:[A-Z][A-Za-z.’']*\.?\s{0,2}){1,5}(?:\d?[a-z]{0,2}\s){0,2}(?:§|\d)|U\.?\s?S\.?\s?C\b"
    r"|C\.?\s?F\.?\s?R\b|§\s?\d"
)
# What eyecite marks up texts with, which we do not ask it to; it has no wheels for newer Pythons.
_DIFF = "fast_diff_match_patch"
_WHITE = re.compile(r"\s")
_LAWS = ("FullLawCitation",)
_NO_CITATION = ("UnknownCitation",)
_SURE, _SHORT, _REFERRING = 0.97, 0.93, 0.85
_LONGEST = 400_000  # letters; what is longer is read in such parts


def us_citations(text: str, language: str | None) -> Iterator[Found]:
    """Cases as citations and codes as statutes; "Id." and its like stand for what they refer to."""
    if language not in (None, "en") or not _LIKELY.search(text) or find_spec("eyecite") is None:
        return
    if _DIFF not in sys.modules and find_spec(_DIFF) is None:
        sys.modules[_DIFF] = ModuleType(_DIFF)
    for first in range(0, len(text), _LONGEST):
        yield from _cited(text[first : first + _LONGEST], first)


def _cited(text: str, first: int) -> Iterator[Found]:
    from eyecite import get_citations, resolve_citations

    # Its patterns know spaces only; every letter keeps its place.
    found = get_citations(_WHITE.sub(" ", text))
    meant = _meant(resolve_citations(found))
    for each in found:
        name = type(each).__name__
        normal = meant.get(id(each)) or _normal(each)
        if name in _NO_CITATION or not normal:
            continue
        start, end = each.span()
        kind = "statute" if name in _LAWS else "citation"
        confidence = _SURE if name.startswith("Full") else _SHORT if "Short" in name else _REFERRING
        yield Found(kind, first + start, first + end, normal, confidence)


def _meant(resolved: Any) -> dict[int, str]:
    """What each citation refers to, by the full citation that stands first."""
    return {
        id(each): resource.citation.corrected_citation()
        for resource, group in resolved.items()
        for each in group
    }


def _normal(each: Any) -> str | None:
    name = type(each).__name__
    return str(each.corrected_citation()) if name.startswith("Full") or name == "ShortCaseCitation" else None
