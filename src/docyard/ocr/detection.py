"""Where text stands on a picture: slanted rectangles, each around a piece of one line."""

from __future__ import annotations

from typing import Any, NamedTuple

import cv2
import numpy as np

from docyard.ocr import models

LONGEST = 1280  # pixels; larger ones took longer and found the same lines
SHORTEST = 640  # a small picture is enlarged, or its marks are finer than the model knows them
_STRIDE = 32
_LIKELY = 0.3  # a pixel belongs to text
_SURE = 0.5  # the pixels of a box do, on average
_GROW = 1.6  # the model marks the core of a line, and the letters reach beyond it
_THINNEST = 3


class Slab(NamedTuple):
    """A slanted rectangle: its middle, how far it reaches along its text and across, and its angle."""

    x: float
    y: float
    length: float
    height: float
    angle: float  # radians, clockwise, of the direction in which it is longer; between -π/2 and π/2


def slabs(image: Any) -> list[Slab]:
    """The text of a picture (rows of RGB pixels), in no order."""
    likely, scale_x, scale_y = _likelihood(image)
    marked = cv2.dilate((likely > _LIKELY).astype(np.uint8), np.ones((2, 2), np.uint8))
    outlines, _ = cv2.findContours(marked, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found = (_slab(likely, outline, scale_x, scale_y) for outline in outlines)
    return [slab for slab in found if slab is not None]


def _likelihood(image: Any) -> tuple[Any, float, float]:
    """How likely each pixel is text, on a smaller picture, and how much smaller that is."""
    height, width = image.shape[:2]
    scale = min(1.0, LONGEST / max(width, height))
    scale = max(scale, min(SHORTEST / min(width, height), LONGEST / max(width, height)))
    across, down = (max(_STRIDE, round(side * scale / _STRIDE) * _STRIDE) for side in (width, height))
    small = cv2.resize(image, (across, down), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    pixels = small[:, :, ::-1].astype(np.float32)  # the model was taught on BGR
    pixels = (pixels / 127.5 - 1.0).transpose(2, 0, 1)[None]
    (answer,) = models.session("detection").run(None, {"x": np.ascontiguousarray(pixels)})
    return answer[0, 0], width / across, height / down


def _slab(likely: Any, outline: Any, scale_x: float, scale_y: float) -> Slab | None:
    (x, y), (across, down), degrees = cv2.minAreaRect(outline)
    if min(across, down) < _THINNEST or _sureness(likely, (x, y), (across, down), degrees) < _SURE:
        return None
    grow = 2 * across * down * _GROW / (2 * (across + down))
    corners = cv2.boxPoints(((x, y), (across + grow, down + grow), degrees)) * (scale_x, scale_y)
    return _from_corners(corners)


def _sureness(likely: Any, middle: Any, size: Any, degrees: float) -> float:
    """The average likelihood inside a slanted rectangle."""
    corners = cv2.boxPoints((middle, size, degrees))
    height, width = likely.shape
    low = np.clip(np.floor(corners.min(axis=0)), 0, (width - 1, height - 1)).astype(int)
    high = np.clip(np.ceil(corners.max(axis=0)), 0, (width - 1, height - 1)).astype(int)
    inside = np.zeros((high[1] - low[1] + 1, high[0] - low[0] + 1), np.uint8)
    cv2.fillPoly(inside, [(corners - low).astype(np.int32)], 1)
    return float(cv2.mean(likely[low[1] : high[1] + 1, low[0] : high[0] + 1], inside)[0])


def _from_corners(corners: Any) -> Slab:
    (x, y), one, other = corners.mean(axis=0), corners[1] - corners[0], corners[2] - corners[1]
    along, across = (one, other) if np.hypot(*one) >= np.hypot(*other) else (other, one)
    angle = float(np.arctan2(along[1], along[0]))
    angle -= np.pi * round(angle / np.pi)
    return Slab(float(x), float(y), float(np.hypot(*along)), float(np.hypot(*across)), angle)
