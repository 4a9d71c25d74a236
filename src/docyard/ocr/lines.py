"""What every OCR engine gives: lines of words, each with its place on the picture and how sure it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


class SeenWord(NamedTuple):
    """A word on a picture, in its pixels from the upper left corner; confidence is in 0..1."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    confidence: float


@dataclass(frozen=True, slots=True)
class SeenLine:
    """Words of one line in reading order; `gap` says that a blank line stands before it."""

    words: tuple[SeenWord, ...]
    gap: bool = False


# A picture comes as Pillow opens it, in RGB; the lines come in reading order.
Engine = Callable[[Any], list[SeenLine]]
