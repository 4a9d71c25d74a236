"""The engine of PP-OCR's models: find text, turn it upright, read it, and put it in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import cos, pi, sin, tan
from statistics import fmean, median
from typing import Any

import numpy as np

from docyard.ocr.accents import without_doubtful
from docyard.ocr.detection import Slab, slabs
from docyard.ocr.lines import SeenLine, SeenWord
from docyard.ocr.orientation import along, is_upside_down, page_angle, upright
from docyard.ocr.reading_order import Block, reading_order
from docyard.ocr.recognition import Piece, read_lines

_SURE = 0.5  # below this a line is more likely a pattern than text
_SURE_OF_FEW = 0.75  # the same for one or two signs: patterns in photographs look like them
_APART = 0.5  # heights of a slab: more space than that between two words may be a gap between columns
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
    texts = without_doubtful(read_lines([upright(image, slab) for slab in turned]))
    groups = [
        (slab, group)
        for slab, text in zip(turned, texts, strict=True)
        if _is_text(text)
        for group in _groups(slab, text)
    ]
    rows = reading_order([_block(*group, angle, which) for which, group in enumerate(groups)])
    return _lines(rows, groups)


def _groups(slab: Slab, text: Sequence[Piece]) -> list[list[Piece]]:
    """The words of a slab, apart where there is space between them: it may reach into the next column."""
    apart = _APART * slab.height / slab.length
    groups = [[text[0]]]
    for before, piece in pairwise(text):
        if piece.start - before.end > apart:
            groups.append([])
        groups[-1].append(piece)
    return groups


def _is_text(text: Sequence[Piece]) -> bool:
    length = sum(len(piece.text) for piece in text)
    least = _SURE if length > 2 else _SURE_OF_FEW
    return length > 0 and fmean(piece.confidence for piece in text) >= least


def _block(slab: Slab, group: Sequence[Piece], angle: float, which: int) -> Block:
    """Where these words of the slab would stand on the page turned upright."""
    along = ((group[0].start + group[-1].end) / 2 - 0.5) * slab.length
    across_x, across_y = slab.x + along * cos(slab.angle), slab.y + along * sin(slab.angle)
    x = across_x * cos(angle) + across_y * sin(angle)
    y = across_y * cos(angle) - across_x * sin(angle)
    length, height, slant = (group[-1].end - group[0].start) * slab.length, slab.height, slab.angle - angle
    if abs(slant) > pi / 4:  # text across the page
        length, height, slant = height, length, 0.0
    half = length / 2 * cos(slant)
    letters = sum(map(str.isalpha, "".join(piece.text for piece in group)))
    return Block(x - half, y - height / 2, x + half, y + height / 2, tan(slant), letters, which)


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
