"""Text recognition: the words of a line with their confidences and positions along the line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

from docyard.ocr import models

HEIGHT = 48  # pixels
_WIDTH_FACTOR = 0.85  # lines are compressed to save time; errors did not increase until 0.65
_STEP = 8  # pixels of width per output of the model
_MAX_WIDTH = 2400  # pixels
_BATCH_PIXELS = 800  # total width of a batch; larger batches have more padding
_PADDING = 24  # pixels after the longest line of a batch; without it, short lines have more errors


class RecognisedWord(NamedTuple):
    """A word; `start` and `end` are fractions of the line length.

    `confidence` is the mean of `confidences`, which has one value per character.
    """

    text: str
    start: float
    end: float
    confidence: float
    confidences: tuple[float, ...]


def read_lines(lines: Sequence[Any]) -> list[list[RecognisedWord]]:
    """Return the words of each line; lines are upright images (rows of RGB pixels) of any height."""
    found: list[list[RecognisedWord]] = [[] for _ in lines]
    ready = [scale_line(line) for line in lines]
    for batch in _batches([line.shape[1] for line in ready]):
        for index, output in zip(batch, _predict([ready[index] for index in batch]), strict=True):
            found[index] = _decode(*output, ready[index].shape[1])
    return found


def scale_line(line: Any) -> Any:
    """Return the line scaled to the height and width at which it is recognised."""
    height, width = line.shape[:2]
    across = min(max(_STEP, round(width * HEIGHT / height * _WIDTH_FACTOR)), _MAX_WIDTH)
    shrinks = height > HEIGHT
    return cv2.resize(line, (across, HEIGHT), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)


def _batches(widths: Sequence[int]) -> Iterator[list[int]]:
    """Yield batches of lines of similar width, as indexes, to keep the padding small."""
    batch: list[int] = []
    for index in sorted(range(len(widths)), key=widths.__getitem__):
        if batch and widths[index] * (len(batch) + 1) > _BATCH_PIXELS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def make_input(lines: Sequence[Any]) -> Any:
    """Return scaled lines as input of the model, padded to slightly more than the width of the widest."""
    width = -(-(max(line.shape[1] for line in lines) + _PADDING) // _STEP) * _STEP
    pixels = np.zeros((len(lines), 3, HEIGHT, width), np.float32)
    for row, line in zip(pixels, lines, strict=True):
        row[:, :, : line.shape[1]] = (line[:, :, ::-1].astype(np.float32) / 127.5 - 1.0).transpose(2, 0, 1)
    return pixels


def _predict(lines: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Return, for each line, the most probable character at each step and its probability."""
    (output,) = models.load_session("recognition").run(None, {"x": make_input(lines)})
    best = output.argmax(axis=2)
    return zip(best, np.take_along_axis(output, best[:, :, None], axis=2)[:, :, 0], strict=True)


def _decode(best: Any, probabilities: Any, width: int) -> list[RecognisedWord]:
    """Decode CTC steps into words: repeats are merged, and a blank separates two equal characters."""
    fresh = np.flatnonzero((best != 0) & (np.diff(best, prepend=-1) != 0))
    alphabet = models.load_alphabet()
    words: list[RecognisedWord] = []
    steps: list[int] = []
    for step in [*fresh.tolist(), None]:
        if step is not None and not alphabet[best[step]].isspace():
            steps.append(step)
        elif steps:
            text = "".join(alphabet[best[one]] for one in steps)
            words.append(_make_word(text, steps, probabilities, width / _STEP))
            steps = []
    return words


def _make_word(text: str, steps: list[int], probabilities: Any, line_steps: float) -> RecognisedWord:
    margin = 0.5 if len(steps) < 2 else (steps[-1] - steps[0]) / (len(steps) - 1) / 2
    start, end = (steps[0] + 0.5 - margin) / line_steps, (steps[-1] + 0.5 + margin) / line_steps
    confidences = tuple(probabilities[steps].tolist())
    mean = sum(confidences) / len(confidences)
    return RecognisedWord(text, max(0.0, start), min(1.0, max(end, start)), mean, confidences)
