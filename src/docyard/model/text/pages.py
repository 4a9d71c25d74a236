"""Pages of text with the bounding boxes of their words."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import starmap
from typing import NamedTuple

from docyard.model.stage_value import StageValue

_WORD = struct.Struct("<IIffff")

# Sources of a page's text: the file, a scan that OCR has not read yet, or OCR.
TEXT, SCAN, OCR = "text", "scan", "ocr"


class Word(NamedTuple):
    """The word `text[start:end]` of a page, and its bounding box in points from the upper left corner."""

    start: int
    end: int
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Page(StageValue):
    """One page: its text, its size in points (0 if unknown), its packed words and blocks."""

    number: int
    text: str
    width: float = 0.0
    height: float = 0.0
    words: bytes = b""
    blocks: bytes = b""
    source: str = TEXT
    confidences: bytes = b""  # OCR confidence of each word in percent, one byte per word


def pack_words(words: Iterable[Word]) -> bytes:
    """Pack words into 24 bytes each, a fifth of their size as JSON."""
    return b"".join(starmap(_WORD.pack, words))


def unpack_words(packed: bytes) -> Iterator[Word]:
    """Yield the words that `pack_words` packed."""
    return map(Word._make, _WORD.iter_unpack(packed))
