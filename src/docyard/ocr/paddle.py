"""The PP-OCR engine: detect text, turn it upright, recognise it, and put it in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import cos, pi, sin, tan
from statistics import fmean, median
from typing import Any

import numpy as np

from docyard.ocr.accents import remove_doubtful_accents
from docyard.ocr.detection import RotatedBox, detect_text
from docyard.ocr.lines import OcrLine, OcrWord
from docyard.ocr.orientation import align, crop_upright, is_upside_down, page_angle
from docyard.ocr.reading_order import TextRegion, reading_order
from docyard.ocr.recognition import RecognisedWord, read_lines

_MIN_CONFIDENCE = 0.5  # lines below it are more likely patterns than text
_MIN_CONFIDENCE_SHORT = 0.75  # for one or two characters, which patterns in photographs resemble
_COLUMN_GAP = 0.5  # slab heights; a wider gap between two words may separate columns
_PARAGRAPH_GAP = 0.9  # line heights of empty space before a new paragraph


def read(picture: Any) -> list[OcrLine]:
    """Return the lines of an image in reading order, regardless of its rotation."""
    image = np.asarray(picture)
    found = detect_text(image)
    angle = page_angle(found)
    turned = align(found, angle)
    if is_upside_down(image, turned):
        angle += pi
        turned = align(found, angle)
    texts = remove_doubtful_accents(read_lines([crop_upright(image, slab) for slab in turned]))
    groups = [
        (slab, group)
        for slab, text in zip(turned, texts, strict=True)
        if _is_text(text)
        for group in _split_at_gaps(slab, text)
    ]
    rows = reading_order([_make_region(*group, angle, index) for index, group in enumerate(groups)])
    return _make_lines(rows, groups)


def _split_at_gaps(slab: RotatedBox, text: Sequence[RecognisedWord]) -> list[list[RecognisedWord]]:
    """Split the words of a slab at wide gaps, because a slab may extend into the next column."""
    gap = _COLUMN_GAP * slab.height / slab.length
    groups = [[text[0]]]
    for previous, piece in pairwise(text):
        if piece.start - previous.end > gap:
            groups.append([])
        groups[-1].append(piece)
    return groups


def _is_text(text: Sequence[RecognisedWord]) -> bool:
    length = sum(len(piece.text) for piece in text)
    threshold = _MIN_CONFIDENCE if length > 2 else _MIN_CONFIDENCE_SHORT
    return length > 0 and fmean(piece.confidence for piece in text) >= threshold


def _make_region(slab: RotatedBox, group: Sequence[RecognisedWord], angle: float, index: int) -> TextRegion:
    """Return the region of these words of a slab, in the coordinates of the upright page."""
    offset = ((group[0].start + group[-1].end) / 2 - 0.5) * slab.length
    image_x, image_y = slab.x + offset * cos(slab.angle), slab.y + offset * sin(slab.angle)
    x = image_x * cos(angle) + image_y * sin(angle)
    y = image_y * cos(angle) - image_x * sin(angle)
    length, height, slant = (group[-1].end - group[0].start) * slab.length, slab.height, slab.angle - angle
    if abs(slant) > pi / 4:  # text across the page
        length, height, slant = height, length, 0.0
    half = length / 2 * cos(slant)
    letters = sum(map(str.isalpha, "".join(piece.text for piece in group)))
    return TextRegion(x - half, y - height / 2, x + half, y + height / 2, tan(slant), letters, index)


def _make_lines(
    rows: Sequence[Sequence[TextRegion]], groups: Sequence[tuple[RotatedBox, list[RecognisedWord]]]
) -> list[OcrLine]:
    line_height = median(region.height for row in rows for region in row) if rows else 0.0
    lines: list[OcrLine] = []
    bottom = float("inf")
    for row in rows:
        words = [
            _make_word(groups[region.number][0], piece)
            for region in row
            for piece in groups[region.number][1]
        ]
        space = min(region.top for region in row) - bottom
        same_paragraph = -line_height < space < _PARAGRAPH_GAP * line_height
        lines.append(OcrLine(tuple(words), gap=bool(lines) and not same_paragraph))
        bottom = max(region.bottom for region in row)
    return lines


def _make_word(slab: RotatedBox, piece: RecognisedWord) -> OcrWord:
    """Return a word with the upright bounding box of its part of the slab."""
    offset = ((piece.start + piece.end) / 2 - 0.5) * slab.length
    x, y = slab.x + offset * cos(slab.angle), slab.y + offset * sin(slab.angle)
    length = (piece.end - piece.start) * slab.length
    # Detected boxes extend beyond the characters on all sides.
    height = slab.height * 0.8
    half_width = (abs(length * cos(slab.angle)) + abs(height * sin(slab.angle))) / 2
    half_height = (abs(length * sin(slab.angle)) + abs(height * cos(slab.angle))) / 2
    left, top = x - half_width, y - half_height
    return OcrWord(piece.text, left, top, x + half_width, y + half_height, piece.confidence)
