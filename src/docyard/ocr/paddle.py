"""The PP-OCR engine: detection, rotation, recognition and reading order of text."""

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
_MIN_CONFIDENCE_SHORT = 0.75  # for one or two characters; patterns in photographs resemble them
_COLUMN_GAP = 0.5  # box heights; a wider gap between two words may separate columns
_PARAGRAPH_GAP = 0.9  # line heights of empty space before a new paragraph


def read(image: Any) -> list[OcrLine]:
    """Return the lines of an image in reading order, regardless of its rotation."""
    pixels = np.asarray(image)
    found = detect_text(pixels)
    angle = page_angle(found)
    turned = align(found, angle)
    if is_upside_down(pixels, turned):
        angle += pi
        turned = align(found, angle)
    texts = remove_doubtful_accents(read_lines([crop_upright(pixels, box) for box in turned]))
    lines = [(box, text) for box, text in zip(turned, texts, strict=True) if _is_text(text)]
    groups = [(box, group) for box, text in lines for group in _split_at_gaps(box, text)]
    rows = reading_order([_make_region(*group, angle, index) for index, group in enumerate(groups)])
    return _make_lines(rows, groups)


def _split_at_gaps(box: RotatedBox, text: Sequence[RecognisedWord]) -> list[list[RecognisedWord]]:
    """Split the words of a box at wide gaps, because the box may extend into the next column."""
    gap = _COLUMN_GAP * box.height / box.length
    groups = [[text[0]]]
    for previous, word in pairwise(text):
        if word.start - previous.end > gap:
            groups.append([])
        groups[-1].append(word)
    return groups


def _is_text(text: Sequence[RecognisedWord]) -> bool:
    length = sum(len(word.text) for word in text)
    threshold = _MIN_CONFIDENCE if length > 2 else _MIN_CONFIDENCE_SHORT
    return length > 0 and fmean(word.confidence for word in text) >= threshold


def _make_region(box: RotatedBox, group: Sequence[RecognisedWord], angle: float, index: int) -> TextRegion:
    """Return the region of these words of a box, in the coordinates of the upright page."""
    offset = ((group[0].start + group[-1].end) / 2 - 0.5) * box.length
    image_x, image_y = box.x + offset * cos(box.angle), box.y + offset * sin(box.angle)
    x = image_x * cos(angle) + image_y * sin(angle)
    y = image_y * cos(angle) - image_x * sin(angle)
    length, height, slant = (group[-1].end - group[0].start) * box.length, box.height, box.angle - angle
    if abs(slant) > pi / 4:  # text perpendicular to the rest of the page
        length, height, slant = height, length, 0.0
    half = length / 2 * cos(slant)
    letters = sum(map(str.isalpha, "".join(word.text for word in group)))
    return TextRegion(x - half, y - height / 2, x + half, y + height / 2, tan(slant), letters, index)


def _make_lines(
    rows: Sequence[Sequence[TextRegion]], groups: Sequence[tuple[RotatedBox, list[RecognisedWord]]]
) -> list[OcrLine]:
    line_height = median(region.height for row in rows for region in row) if rows else 0.0
    lines: list[OcrLine] = []
    bottom = float("inf")
    for row in rows:
        words = [_make_word(groups[region.number][0], word) for region in row for word in groups[region.number][1]]
        space = min(region.top for region in row) - bottom
        same_paragraph = -line_height < space < _PARAGRAPH_GAP * line_height
        lines.append(OcrLine(tuple(words), gap=bool(lines) and not same_paragraph))
        bottom = max(region.bottom for region in row)
    return lines


def _make_word(box: RotatedBox, word: RecognisedWord) -> OcrWord:
    """Return a word with the axis-aligned bounding box of its part of a rotated box."""
    offset = ((word.start + word.end) / 2 - 0.5) * box.length
    x, y = box.x + offset * cos(box.angle), box.y + offset * sin(box.angle)
    length = (word.end - word.start) * box.length
    # Detected boxes extend beyond the characters on all sides.
    height = box.height * 0.8
    half_width = (abs(length * cos(box.angle)) + abs(height * sin(box.angle))) / 2
    half_height = (abs(length * sin(box.angle)) + abs(height * cos(box.angle))) / 2
    left, top = x - half_width, y - half_height
    return OcrWord(word.text, left, top, x + half_width, y + half_height, word.confidence)
