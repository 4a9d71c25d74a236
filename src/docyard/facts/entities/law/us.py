"""Citations of the United States, by eyecite."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from docyard.facts.entities.spans import Found
from docyard.facts.notation.conventions import Conventions

# Loading eyecite takes half a second, which most documents need not pay.
_LIKELY = re.compile(
    r"\d\s{1,3}[A-Z][A-Za-z0-9’'&]{0,12}(?:\s[A-Z][A-Za-z0-9’'&]{0,12})?\.[A-Za-z0-9.’'&\s]{0,30},?\s(?:at\s)?[\d§_]"
    r"|\d\s(?:WL|[A-Z]{1,3}\s?[234]d)\s\d|LEXIS|U\.?\s?S\.?\s?C\b|C\.?\s?F\.?\s?R\b|§\s?\d|\bsupra\b"
)
# What eyecite marks up texts with, which we do not ask it to; it has no wheels for newer Pythons.
_DIFF = "fast_diff_match_patch"
_WHITE = re.compile(r"\s")
_LAWS = ("FullLawCitation",)
_NO_CITATION = ("UnknownCitation",)
_SURE, _SHORT, _REFERRING = 0.97, 0.93, 0.85
_LONGEST = 400_000  # letters; what is longer is read in such parts


def us_citations(text: str, conventions: Conventions) -> Iterator[Found]:
    """Cases as citations and codes as statutes; "Id." and its like stand for what they refer to."""
    if conventions.language not in (None, "en") or not _LIKELY.search(text):
        return
    eyecite = load_eyecite()
    for first in range(0, len(text) if eyecite else 0, _LONGEST):
        yield from _cited(eyecite, text[first : first + _LONGEST], first)


def load_eyecite() -> Any:
    """The package, or None where it is not installed: our own patterns then speak alone."""
    if find_spec("eyecite") is None:
        return None
    if _DIFF not in sys.modules and find_spec(_DIFF) is None:
        sys.modules[_DIFF] = ModuleType(_DIFF)
    return import_module("eyecite")


def _cited(eyecite: Any, text: str, first: int) -> Iterator[Found]:
    # Its patterns know spaces only; every letter keeps its place.
    found = eyecite.get_citations(_WHITE.sub(" ", text))
    meant = _meant(eyecite.resolve_citations(found))
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
    if name == "SupraCitation":
        return f"{each.metadata.antecedent_guess or ''} supra".strip()
    return str(each.corrected_citation()) if name.startswith("Full") or "Short" in name else None
