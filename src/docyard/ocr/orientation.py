"""Which way a page is turned, and pictures of its lines turned upright."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin
from typing import Any

import cv2
import numpy as np

from docyard.ocr import models
from docyard.ocr.detection import Slab
from docyard.ocr.recognition import Piece, read_lines

_TELLING = 3.0  # times as long as high: shorter ones may be longer the wrong way
_SIZE = (192, 48)
_VOTERS = 12
_DOUBT = 0.25  # so near to even that reading both ways decides
_STRAIGHT = 0.004  # radians: less than a pixel over a usual line


def page_angle(slabs: Sequence[Slab]) -> float:
    """The angle of most of the text, in radians, up to being upside down."""
    telling = [slab for slab in slabs if slab.length >= _TELLING * slab.height] or list(slabs)
    if not telling:
        return 0.0
    upright = sum(slab.length for slab in telling if abs(slab.angle) <= pi / 4)
    sideways = sum(slab.length for slab in telling) > 2 * upright
    angles = [slab.angle % pi if sideways else slab.angle for slab in telling]
    kept = [(angle, slab.length) for angle, slab in zip(angles, telling, strict=True)]
    middle = pi / 2 if sideways else 0.0
    return _median([pair for pair in kept if abs(pair[0] - middle) <= pi / 4])


def along(slabs: Sequence[Slab], angle: float) -> list[Slab]:
    """The slabs with the page's direction as theirs; a long one across it keeps its own."""
    return [_along(slab, angle) for slab in slabs]


def is_upside_down(image: Any, slabs: Sequence[Slab]) -> bool:
    """Whether these slabs are read from the other end, by the vote of the longest."""
    voters = sorted(slabs, key=lambda slab: -slab.length)[:_VOTERS]
    if not voters:
        return False
    lines = [upright(image, slab) for slab in voters]
    vote = float(np.mean(_turned(lines)))
    if abs(vote - 0.5) > _DOUBT:
        return vote > 0.5
    return _sureness([line[::-1, ::-1] for line in lines]) > _sureness(lines)


def upright(image: Any, slab: Slab) -> Any:
    """The picture of a slab alone, with its text running to the right."""
    across, down = max(1, round(slab.length)), max(1, round(slab.height))
    left, top = slab.x - across / 2, slab.y - down / 2
    if abs(slab.angle) < _STRAIGHT and left >= 0 and top >= 0:
        return image[round(top) : round(top) + down, round(left) : round(left) + across]
    right, below = cos(slab.angle), sin(slab.angle)
    back = np.array(
        [
            [right, -below, slab.x - right * across / 2 + below * down / 2],
            [below, right, slab.y - below * across / 2 - right * down / 2],
        ]
    )
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(image, back, (across, down), flags=flags, borderMode=cv2.BORDER_REPLICATE)


def _median(weighted: list[tuple[float, float]]) -> float:
    half = sum(weight for _, weight in weighted) / 2
    for value, weight in sorted(weighted):
        half -= weight
        if half <= 0:
            return value
    return 0.0


def _along(slab: Slab, angle: float) -> Slab:
    """Its own slant, but from the end where the page begins; what is nearly square may have to swap sides."""
    quarter = round((angle - slab.angle) / (pi / 2))
    own = slab.angle + quarter * pi / 2
    if quarter % 2 == 0:
        return slab._replace(angle=own)
    if slab.length >= _TELLING * slab.height:
        return slab._replace(angle=own - pi / 2)
    return slab._replace(length=slab.height, height=slab.length, angle=own)


def _turned(lines: Sequence[Any]) -> Any:
    """How likely each line is upside down."""
    pixels = np.zeros((len(lines), 3, _SIZE[1], _SIZE[0]), np.float32)
    for place, line in zip(pixels, lines, strict=True):
        width = max(1, min(_SIZE[0], round(line.shape[1] * _SIZE[1] / line.shape[0])))
        # A long line is judged by its beginning, as it would be squeezed beyond recognition.
        head = line[:, : max(1, round(line.shape[0] * _SIZE[0] / _SIZE[1]))]
        small = cv2.resize(head, (width, _SIZE[1]))[:, :, ::-1].astype(np.float32)
        place[:, :, :width] = (small / 127.5 - 1.0).transpose(2, 0, 1)
    (answer,) = models.session("direction").run(None, {"x": pixels})
    return answer[:, 1]


def _sureness(lines: Sequence[Any]) -> float:
    return sum(_weight(pieces) for pieces in read_lines(lines))


def _weight(pieces: Sequence[Piece]) -> float:
    return sum(piece.confidence * len(piece.text) for piece in pieces if piece.confidence > 0.5)
