"""Removal of case and accents from text."""

from __future__ import annotations

import unicodedata

# Letters that Unicode does not decompose into a base letter and a mark.
_UNDIVIDED = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ı": "i"})


def fold_letters(text: str) -> str:
    """Return a text in lower case and without accents; the result may be longer than the text."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character)).translate(_UNDIVIDED)
