"""Long pictures, such as receipts and screenshots, read strip by strip: made to fit, nobody can read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docyard.ocr.lines import Engine, SeenLine

LONGEST = 20_000  # pixels
_LONG = 3.0  # times its width: paper is half as long again as it is wide
_STRIP, _SHARED = 2.0, 0.25  # of the width: how long a strip is, and how much of it the next one shows too


def length_for(width: float, height: float, usual: int) -> int:
    """How many pixels long a page should be drawn, so that a long one stays as wide as others are."""
    if height <= _LONG * width or width <= 0:
        return usual
    return round(min(LONGEST, usual * height / width))


def read_strips(engine: Engine, picture: Any) -> list[SeenLine]:
    """The lines of a picture; of a long one those of its strips, each line once."""
    width, height = picture.size
    if height <= _LONG * width:
        return engine(picture)
    return [
        _moved(line, top)
        for top, bottom, first, last in _strips(width, height)
        for line in engine(picture.crop((0, top, width, bottom)))
        if first <= top + _middle(line) < last
    ]


def _strips(width: int, height: int) -> Iterator[tuple[int, int, float, float]]:
    """Top and bottom of each strip, and between which heights its lines count."""
    step, shared = max(round(_STRIP * width), 64), max(round(_SHARED * width), 16)
    top = 0
    while True:
        bottom = min(top + step, height)
        first = top + shared / 2 if top else 0.0
        yield top, bottom, first, bottom - shared / 2 if bottom < height else float("inf")
        if bottom == height:
            return
        top = bottom - shared


def _middle(line: SeenLine) -> float:
    return sum(word.top + word.bottom for word in line.words) / max(2 * len(line.words), 1)


def _moved(line: SeenLine, down: int) -> SeenLine:
    words = (word._replace(top=word.top + down, bottom=word.bottom + down) for word in line.words)
    return SeenLine(tuple(words), line.gap)
