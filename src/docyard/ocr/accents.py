"""Accents on a page: dirt over a letter looks like one, and only the whole page tells them apart."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from docyard.ocr.recognition import Piece

_SURE = 0.9  # printed accents are seen with more, dirt with less


def without_doubtful(lines: Sequence[Sequence[Piece]]) -> list[list[Piece]]:
    """The lines as they are; or, where no accent on the page is sure, without those that are in doubt."""
    seen = [sure for line in lines for piece in line for sure in _accents(piece)]
    if not seen or max(seen) >= _SURE:
        return [list(line) for line in lines]
    return [[piece._replace(text="".join(map(_plain, piece.text))) for piece in line] for line in lines]


def _accents(piece: Piece) -> list[float]:
    """How sure each letter with an accent is."""
    if piece.text.isascii():
        return []
    return [sure for letter, sure in zip(piece.text, piece.letters, strict=True) if _plain(letter) != letter]


def _plain(letter: str) -> str:
    first = unicodedata.normalize("NFD", letter)[0]
    return first if first.isascii() and first.isalpha() else letter
