"""The output of every OCR engine: lines of words with bounding boxes and confidences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


class OcrWord(NamedTuple):
    """A word with its bounding box in pixels from the upper left corner; confidence is between 0 and 1."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    confidence: float


@dataclass(frozen=True, slots=True)
class OcrLine:
    """The words of a line in reading order; `gap` means that a blank line precedes this line."""

    words: tuple[OcrWord, ...]
    gap: bool = False


# From a Pillow image in RGB to its lines in reading order.
Engine = Callable[[Any], list[OcrLine]]
