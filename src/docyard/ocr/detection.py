"""Text detection: rotated rectangles on an image, each around one line or part of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import cv2
import numpy as np

from docyard.ocr import models

_MAX_SIDE = 1280  # pixels; larger images take longer and yield the same lines
_MIN_SIDE = 640  # pixels; smaller images are enlarged, since the model misses very thin strokes
_STRIDE = 32  # pixels; both sides of the input must be multiples of it
_MIN_PIXEL_PROBABILITY = 0.3
_MIN_BOX_PROBABILITY = 0.5  # mean over the pixels of a box
_UNCLIP_RATIO = 1.6  # the model marks only the core of a line, so boxes are enlarged
_MIN_BOX_SIDE = 3  # pixels of the scaled image


class RotatedBox(NamedTuple):
    """A rotated rectangle around text: centre, length along the text, height across it, and angle."""

    x: float
    y: float
    length: float
    height: float
    angle: float  # of the longer side, in radians clockwise, between -π/2 and π/2


def detect_text(image: Any) -> list[RotatedBox]:
    """Return the text regions of an image (rows of RGB pixels), in no particular order."""
    probabilities, scale_x, scale_y = _predict_probabilities(image)
    mask = (probabilities > _MIN_PIXEL_PROBABILITY).astype(np.uint8)
    mask = cv2.dilate(mask, np.ones((2, 2), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found = (_fit_box(probabilities, contour, scale_x, scale_y) for contour in contours)
    return [box for box in found if box is not None]


def _predict_probabilities(image: Any) -> tuple[Any, float, float]:
    """Return the text probability of each pixel of a scaled copy, and the factors to scale x and y back."""
    height, width = image.shape[:2]
    scale = min(1.0, _MAX_SIDE / max(width, height))
    scale = max(scale, min(_MIN_SIDE / min(width, height), _MAX_SIDE / max(width, height)))
    across, down = (max(_STRIDE, round(side * scale / _STRIDE) * _STRIDE) for side in (width, height))
    scaled = cv2.resize(image, (across, down), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    pixels = scaled[:, :, ::-1].astype(np.float32)  # the model was trained on BGR
    pixels = (pixels / 127.5 - 1.0).transpose(2, 0, 1)[None]
    (output,) = models.load_session("detection").run(None, {"x": np.ascontiguousarray(pixels)})
    return output[0, 0], width / across, height / down


def _fit_box(probabilities: Any, contour: Any, scale_x: float, scale_y: float) -> RotatedBox | None:
    """Return the enlarged rectangle around a contour, or None if it is too thin or probably not text."""
    (x, y), (across, down), degrees = cv2.minAreaRect(contour)
    if min(across, down) < _MIN_BOX_SIDE:
        return None
    if _mean_probability(probabilities, (x, y), (across, down), degrees) < _MIN_BOX_PROBABILITY:
        return None
    growth = 2 * across * down * _UNCLIP_RATIO / (2 * (across + down))
    corners = cv2.boxPoints(((x, y), (across + growth, down + growth), degrees)) * (scale_x, scale_y)
    return _make_box(corners)


def _mean_probability(probabilities: Any, centre: Any, size: Any, degrees: float) -> float:
    """Return the mean text probability inside a rotated rectangle."""
    corners = cv2.boxPoints((centre, size, degrees))
    height, width = probabilities.shape
    low = np.clip(np.floor(corners.min(axis=0)), 0, (width - 1, height - 1)).astype(int)
    high = np.clip(np.ceil(corners.max(axis=0)), 0, (width - 1, height - 1)).astype(int)
    inside = np.zeros((high[1] - low[1] + 1, high[0] - low[0] + 1), np.uint8)
    cv2.fillPoly(inside, [(corners - low).astype(np.int32)], 1)
    return float(cv2.mean(probabilities[low[1] : high[1] + 1, low[0] : high[0] + 1], inside)[0])


def _make_box(corners: Any) -> RotatedBox:
    (x, y), one, other = corners.mean(axis=0), corners[1] - corners[0], corners[2] - corners[1]
    along, across = (one, other) if np.hypot(*one) >= np.hypot(*other) else (other, one)
    angle = float(np.arctan2(along[1], along[0]))
    angle -= np.pi * round(angle / np.pi)
    return RotatedBox(float(x), float(y), float(np.hypot(*along)), float(np.hypot(*across)), angle)
