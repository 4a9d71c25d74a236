"""A name as it would be written in a list."""

from __future__ import annotations

import re
import unicodedata

_WHITE = re.compile(r"\s+")
_HYPHENATED = re.compile(r"(?<=\w)-\s*\n\s*(?=[a-z])")
_EDGES = " \t\n,;:\"“”„‘’'()[]<>*•–—-"
_SHORT = 3  # letters; a word in capitals this short may be an abbreviation


def plain_name(written: str) -> str:
    """One line, plain spaces, and no names of several long words all in capitals."""
    name = unicodedata.normalize("NFKC", _HYPHENATED.sub("", written))
    name = _WHITE.sub(" ", name).strip(_EDGES)
    words = name.split()
    if name.isupper() and len(words) > 1 and any(len(word) > _SHORT for word in words):
        return " ".join(word.title() if len(word) > _SHORT else word for word in words)
    return name
