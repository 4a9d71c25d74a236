"""Orientation of a page, and images of its lines turned upright."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin
from typing import Any

import cv2
import numpy as np

from docyard.ocr import models
from docyard.ocr.detection import RotatedBox
from docyard.ocr.recognition import RecognisedWord, read_lines

_MIN_ASPECT_RATIO = 3.0  # length to height; the longer side of squarer boxes may not be parallel to the text
_CLASSIFIER_SIZE = (192, 48)  # width and height in pixels
_MAX_VOTERS = 12
_MIN_MAJORITY = 0.25  # distance of the vote from 0.5; below it, both directions are read and compared
_MAX_STRAIGHT_ANGLE = 0.004  # radians; less than a pixel over a usual line


def page_angle(boxes: Sequence[RotatedBox]) -> float:
    """Return the angle of most of the text in radians; the text may still be upside down."""
    long = [box for box in boxes if box.length >= _MIN_ASPECT_RATIO * box.height] or list(boxes)
    if not long:
        return 0.0
    upright = sum(box.length for box in long if abs(box.angle) <= pi / 4)
    sideways = sum(box.length for box in long) > 2 * upright
    angles = [box.angle % pi if sideways else box.angle for box in long]
    weighted = [(angle, box.length) for angle, box in zip(angles, long, strict=True)]
    expected = pi / 2 if sideways else 0.0
    return _weighted_median([pair for pair in weighted if abs(pair[0] - expected) <= pi / 4])


def align(boxes: Sequence[RotatedBox], angle: float) -> list[RotatedBox]:
    """Return the boxes with angles near the page angle; long boxes across the text stay perpendicular."""
    return [_align(box, angle) for box in boxes]


def is_upside_down(image: Any, boxes: Sequence[RotatedBox]) -> bool:
    """Return whether the text is upside down, by a vote of the longest boxes."""
    voters = sorted(boxes, key=lambda box: -box.length)[:_MAX_VOTERS]
    if not voters:
        return False
    lines = [crop_upright(image, box) for box in voters]
    vote = float(np.mean(_predict_upside_down(lines)))
    if abs(vote - 0.5) > _MIN_MAJORITY:
        return vote > 0.5
    return _score_lines([line[::-1, ::-1] for line in lines]) > _score_lines(lines)


def crop_upright(image: Any, box: RotatedBox) -> Any:
    """Return the image of one box, rotated so that its text runs to the right."""
    across, down = max(1, round(box.length)), max(1, round(box.height))
    left, top = box.x - across / 2, box.y - down / 2
    if abs(box.angle) < _MAX_STRAIGHT_ANGLE and left >= 0 and top >= 0:
        return image[round(top) : round(top) + down, round(left) : round(left) + across]
    cosine, sine = cos(box.angle), sin(box.angle)
    inverse = np.array(
        [
            [cosine, -sine, box.x - cosine * across / 2 + sine * down / 2],
            [sine, cosine, box.y - sine * across / 2 - cosine * down / 2],
        ]
    )
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(image, inverse, (across, down), flags=flags, borderMode=cv2.BORDER_REPLICATE)


def _weighted_median(weighted: list[tuple[float, float]]) -> float:
    half = sum(weight for _, weight in weighted) / 2
    for value, weight in sorted(weighted):
        half -= weight
        if half <= 0:
            return value
    return 0.0


def _align(box: RotatedBox, angle: float) -> RotatedBox:
    """Rotate a box by quarter turns to bring it near the page angle; a long box may stay perpendicular."""
    quarters = round((angle - box.angle) / (pi / 2))
    aligned = box.angle + quarters * pi / 2
    if quarters % 2 == 0:
        return box._replace(angle=aligned)
    if box.length >= _MIN_ASPECT_RATIO * box.height:
        return box._replace(angle=aligned - pi / 2)
    return box._replace(length=box.height, height=box.length, angle=aligned)


def _predict_upside_down(lines: Sequence[Any]) -> Any:
    """Return the probability that each line is upside down."""
    full_width, height = _CLASSIFIER_SIZE
    pixels = np.zeros((len(lines), 3, height, full_width), np.float32)
    for row, line in zip(pixels, lines, strict=True):
        width = max(1, min(full_width, round(line.shape[1] * height / line.shape[0])))
        # Only the beginning of a long line is used, because squeezing all of it would make it illegible.
        start = line[:, : max(1, round(line.shape[0] * full_width / height))]
        scaled = cv2.resize(start, (width, height))[:, :, ::-1].astype(np.float32)
        row[:, :, :width] = (scaled / 127.5 - 1.0).transpose(2, 0, 1)
    (output,) = models.load_session("direction").run(None, {"x": pixels})
    return output[:, 1]


def _score_lines(lines: Sequence[Any]) -> float:
    return sum(_score_line(words) for words in read_lines(lines))


def _score_line(words: Sequence[RecognisedWord]) -> float:
    return sum(word.confidence * len(word.text) for word in words if word.confidence > 0.5)
