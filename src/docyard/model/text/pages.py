"""Pages of text with the boxes of their words."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import starmap
from typing import NamedTuple

from docyard.model.stage_value import StageValue

_WORD = struct.Struct("<IIffff")

# Where the text of a page comes from: the file itself; nowhere yet, a picture to be read; OCR.
TEXT, SCAN, OCR = "text", "scan", "ocr"


class Word(NamedTuple):
    """Where `text[start:end]` of a page stands on it, in points from its upper left corner."""

    start: int
    end: int
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Page(StageValue):
    """One page: its text, its size in points (0 when it has none), its packed words and blocks."""

    number: int
    text: str
    width: float = 0.0
    height: float = 0.0
    words: bytes = b""
    blocks: bytes = b""
    source: str = TEXT
    confidences: bytes = b""  # how sure OCR is of each word, in hundredths, one byte a word


def pack_words(words: Iterable[Word]) -> bytes:
    """Words as 24 bytes each; a page of text has hundreds, and JSON took five times as much."""
    return b"".join(starmap(_WORD.pack, words))


def unpack_words(packed: bytes) -> Iterator[Word]:
    """The words that `pack_words` packed."""
    return map(Word._make, _WORD.iter_unpack(packed))
