"""Removal of false accents, decided per page, because a single speck above a letter looks like an accent."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from docyard.ocr.recognition import RecognisedWord

_MIN_CONFIDENCE = 0.9  # printed accents score higher, specks lower


def remove_doubtful_accents(lines: Sequence[Sequence[RecognisedWord]]) -> list[list[RecognisedWord]]:
    """Return the lines of a page; remove all accents if none was recognised with high confidence."""
    confidences = [each for line in lines for word in line for each in _accent_confidences(word)]
    if not confidences or max(confidences) >= _MIN_CONFIDENCE:
        return [list(line) for line in lines]
    return [[word._replace(text="".join(map(_strip_accent, word.text))) for word in line] for line in lines]


def _accent_confidences(word: RecognisedWord) -> list[float]:
    """Return the confidence of each character with an accent."""
    if word.text.isascii():
        return []
    characters = zip(word.text, word.confidences, strict=True)
    return [confidence for character, confidence in characters if _strip_accent(character) != character]


def _strip_accent(character: str) -> str:
    base = unicodedata.normalize("NFD", character)[0]
    return base if base.isascii() and base.isalpha() else character
