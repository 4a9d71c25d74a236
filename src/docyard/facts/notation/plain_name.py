"""Normal forms of names, for display in a list."""

from __future__ import annotations

import re
import unicodedata

_WHITESPACE = re.compile(r"\s+")
_HYPHENATED = re.compile(r"(?<=\w)-\s*\n\s*(?=[a-z])")
_EDGES = " \t\n,;:\"“”„‘’'()[]<>*•–—-"
_MAX_ABBREVIATION = 3  # characters; a word in capitals this short may be an abbreviation


def normalise_name(written: str) -> str:
    """Return a name on one line without punctuation around it; several words in capitals get title case."""
    name = unicodedata.normalize("NFKC", _HYPHENATED.sub("", written))
    name = _WHITESPACE.sub(" ", name).strip(_EDGES)
    words = name.split()
    if name.isupper() and len(words) > 1 and any(len(word) > _MAX_ABBREVIATION for word in words):
        return " ".join(word.title() if len(word) > _MAX_ABBREVIATION else word for word in words)
    return name
