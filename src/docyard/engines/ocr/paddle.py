"""The engine of PP-OCR's models: find text, turn it upright, read it, and put it in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin, tan
from statistics import fmean, median
from typing import Any

import numpy as np

from docyard.engines.ocr.detection import Slab, slabs
from docyard.engines.ocr.direction import along, is_upside_down, page_angle, upright
from docyard.engines.ocr.order import Block, reading_order
from docyard.engines.ocr.recognition import Piece, read_lines
from docyard.engines.ocr.seam import SeenLine, SeenWord

_SURE = 0.5  # below this a line is more likely a pattern than text
_PARAGRAPH = 0.9  # heights of a line that stay empty before a new paragraph


def read(picture: Any) -> list[SeenLine]:
    """The lines of a picture in reading order, whichever way it is turned."""
    image = np.asarray(picture)
    found = slabs(image)
    angle = page_angle(found)
    turned = along(found, angle)
    if is_upside_down(image, turned):
        angle += pi
        turned = along(found, angle)
    texts = read_lines([upright(image, slab) for slab in turned])
    sure = [(slab, text) for slab, text in zip(turned, texts, strict=True) if _sureness(text) >= _SURE]
    rows = reading_order([_block(slab, angle, index) for index, (slab, _) in enumerate(sure)])
    return _lines(rows, sure)


def _sureness(text: Sequence[Piece]) -> float:
    return fmean(piece.confidence for piece in text) if text else 0.0


def _block(slab: Slab, angle: float, index: int) -> Block:
    """Where the slab would stand on the page turned upright."""
    x = slab.x * cos(angle) + slab.y * sin(angle)
    y = slab.y * cos(angle) - slab.x * sin(angle)
    slant = slab.angle - angle
    if abs(slant) > pi / 4:  # text across the page
        slab = slab._replace(length=slab.height, height=slab.length)
        slant = 0.0
    half = slab.length / 2 * cos(slant)
    return Block(x - half, y - slab.height / 2, x + half, y + slab.height / 2, tan(slant), index)


def _lines(rows: Sequence[Sequence[Block]], sure: Sequence[tuple[Slab, list[Piece]]]) -> list[SeenLine]:
    usual = median(block.height for row in rows for block in row) if rows else 0.0
    lines: list[SeenLine] = []
    below = float("inf")
    for row in rows:
        words = [_word(sure[block.which][0], piece) for block in row for piece in sure[block.which][1]]
        space = min(block.top for block in row) - below
        lines.append(SeenLine(tuple(words), gap=bool(lines) and not -usual < space < _PARAGRAPH * usual))
        below = max(block.bottom for block in row)
    return lines


def _word(slab: Slab, piece: Piece) -> SeenWord:
    """The upright box around a part of a slab."""
    middle = ((piece.start + piece.end) / 2 - 0.5) * slab.length
    x, y = slab.x + middle * cos(slab.angle), slab.y + middle * sin(slab.angle)
    length = (piece.end - piece.start) * slab.length
    # The model's boxes reach beyond the letters, above and below as at both ends.
    height = slab.height * 0.8
    wide = (abs(length * cos(slab.angle)) + abs(height * sin(slab.angle))) / 2
    high = (abs(length * sin(slab.angle)) + abs(height * cos(slab.angle))) / 2
    return SeenWord(piece.text, x - wide, y - high, x + wide, y + high, piece.confidence)
