"""OCR in strips of long images, such as receipts and screenshots, which would be illegible if scaled down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docyard.ocr.lines import Engine, OcrLine

MAX_LENGTH = 20_000  # pixels
_MAX_ASPECT_RATIO = 3.0  # height to width; taller images are read in strips (A4 has 1.4)
_STRIP_LENGTH, _OVERLAP = 2.0, 0.25  # lengths of a strip and its overlap with the next, in image widths


def render_length(width: float, height: float, usual: int) -> int:
    """Return the length in pixels at which to render a page; long pages get more pixels, to be legible."""
    if height <= _MAX_ASPECT_RATIO * width or width <= 0:
        return usual
    return round(min(MAX_LENGTH, usual * height / width))


def read_strips(engine: Engine, image: Any) -> list[OcrLine]:
    """Return the lines of an image; a long one is read in overlapping strips, and each line is kept once."""
    width, height = image.size
    if height <= _MAX_ASPECT_RATIO * width:
        return engine(image)
    return [
        _shift_down(line, top)
        for top, bottom, first, last in _cut_strips(width, height)
        for line in engine(image.crop((0, top, width, bottom)))
        if first <= top + _vertical_centre(line) < last
    ]


def _cut_strips(width: int, height: int) -> Iterator[tuple[int, int, float, float]]:
    """Yield the top and bottom of each strip, and the range in which the centre of its lines must be."""
    step, overlap = max(round(_STRIP_LENGTH * width), 64), max(round(_OVERLAP * width), 16)
    top = 0
    while True:
        bottom = min(top + step, height)
        first = top + overlap / 2 if top else 0.0
        yield top, bottom, first, bottom - overlap / 2 if bottom < height else float("inf")
        if bottom == height:
            return
        top = bottom - overlap


def _vertical_centre(line: OcrLine) -> float:
    return sum(word.top + word.bottom for word in line.words) / max(2 * len(line.words), 1)


def _shift_down(line: OcrLine, pixels: int) -> OcrLine:
    words = (word._replace(top=word.top + pixels, bottom=word.bottom + pixels) for word in line.words)
    return OcrLine(tuple(words), line.gap)
