"""Citations of United States law, found by eyecite."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from docyard.facts.entities.spans import NamedSpan
from docyard.facts.notation.conventions import Conventions

# Loading eyecite takes half a second, so it is not loaded for texts without a likely citation.
_LIKELY = re.compile(
    r"\d\s{1,3}[A-Z][A-Za-z0-9’'&]{0,12}(?:\s[A-Z][A-Za-z0-9’'&]{0,12})?\.[A-Za-z0-9.’'&\s]{0,30},?\s(?:at\s)?[\d§_]"
    r"|\d\s(?:WL|[A-Z]{1,3}\s?[234]d)\s\d|LEXIS|U\.?\s?S\.?\s?C\b|C\.?\s?F\.?\s?R\b|§\s?\d|\bsupra\b"
)
# eyecite imports this module only to annotate texts, which is not needed here. The module has no wheels for
# newer Python versions, so an empty one replaces it if it is not installed.
_DIFF_MODULE = "fast_diff_match_patch"
_WHITESPACE = re.compile(r"\s")
_STATUTE_CLASSES = ("FullLawCitation",)
_IGNORED_CLASSES = ("UnknownCitation",)
_FULL_CONFIDENCE, _SHORT_CONFIDENCE, _REFERENCE_CONFIDENCE = 0.97, 0.93, 0.85
_MAX_CHARS = 400_000  # characters; longer texts are read in parts of this size


def find_us_citations(text: str, conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield cases as citations and codes as statutes; "Id." gets the normal form of its target."""
    if conventions.language not in (None, "en") or not _LIKELY.search(text):
        return
    eyecite = load_eyecite()
    for first in range(0, len(text) if eyecite else 0, _MAX_CHARS):
        yield from _find_citations(eyecite, text[first : first + _MAX_CHARS], first)


def load_eyecite() -> Any:
    """Return the eyecite package, or None if it is not installed."""
    if find_spec("eyecite") is None:
        return None
    if _DIFF_MODULE not in sys.modules and find_spec(_DIFF_MODULE) is None:
        sys.modules[_DIFF_MODULE] = ModuleType(_DIFF_MODULE)
    return import_module("eyecite")


def _find_citations(eyecite: Any, text: str, first: int) -> Iterator[NamedSpan]:
    # The patterns of eyecite match plain spaces only; the replacement keeps all offsets.
    found = eyecite.get_citations(_WHITESPACE.sub(" ", text))
    targets = _resolve_targets(eyecite.resolve_citations(found))
    for each in found:
        name = type(each).__name__
        normal = targets.get(id(each)) or _normalise(each)
        if name in _IGNORED_CLASSES or not normal:
            continue
        start, end = each.span()
        kind = "statute" if name in _STATUTE_CLASSES else "citation"
        confidence = (
            _FULL_CONFIDENCE
            if name.startswith("Full")
            else _SHORT_CONFIDENCE
            if "Short" in name
            else _REFERENCE_CONFIDENCE
        )
        yield NamedSpan(kind, first + start, first + end, normal, confidence)


def _resolve_targets(resolved: Any) -> dict[int, str]:
    """Return the normal form of the full citation that each citation refers to, by object id."""
    return {id(each): resource.citation.corrected_citation() for resource, group in resolved.items() for each in group}


def _normalise(each: Any) -> str | None:
    name = type(each).__name__
    if name == "SupraCitation":
        return f"{each.metadata.antecedent_guess or ''} supra".strip()
    return str(each.corrected_citation()) if name.startswith("Full") or "Short" in name else None
