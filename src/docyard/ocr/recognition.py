"""What stands in a line: its words, how sure each is, and where along the line it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

from docyard.ocr import models

HEIGHT = 48
_NARROWER = 0.85  # than the line is: less to compute, for the same errors; at 0.65 they grow
_STEP = 8  # pixels of the line that one answer of the model covers
_LONGEST = 2400  # pixels of a line at that height
_BATCH_PIXELS = 800  # widths of the lines read at once, together; with more of them, more is padding
_ROOM = 24  # pixels after the longest of them: without any, short lines are read worse


class Piece(NamedTuple):
    """A word of a line; start and end are fractions of the line, `letters` how sure each letter is."""

    text: str
    start: float
    end: float
    confidence: float
    letters: tuple[float, ...]


def read_lines(lines: Sequence[Any]) -> list[list[Piece]]:
    """The words of each line; lines are upright pictures (rows of RGB pixels) of any height."""
    found: list[list[Piece]] = [[] for _ in lines]
    ready = [prepared(line) for line in lines]
    for batch in _batches([line.shape[1] for line in ready]):
        for index, answer in zip(batch, _answers([ready[index] for index in batch]), strict=True):
            found[index] = _pieces(*answer, ready[index].shape[1])
    return found


def prepared(line: Any) -> Any:
    """The line at the height and width it is read at."""
    height, width = line.shape[:2]
    across = min(max(_STEP, round(width * HEIGHT / height * _NARROWER)), _LONGEST)
    shrinks = height > HEIGHT
    return cv2.resize(line, (across, HEIGHT), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)


def _batches(widths: Sequence[int]) -> Iterator[list[int]]:
    """Lines of like width together, so that little of what is computed is padding."""
    batch: list[int] = []
    for index in sorted(range(len(widths)), key=widths.__getitem__):
        if batch and widths[index] * (len(batch) + 1) > _BATCH_PIXELS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def as_input(lines: Sequence[Any]) -> Any:
    """Prepared lines as the model takes them, all as wide as the widest and a little more."""
    room = -(-(max(line.shape[1] for line in lines) + _ROOM) // _STEP) * _STEP
    pixels = np.zeros((len(lines), 3, HEIGHT, room), np.float32)
    for place, line in zip(pixels, lines, strict=True):
        place[:, :, : line.shape[1]] = (line[:, :, ::-1].astype(np.float32) / 127.5 - 1.0).transpose(2, 0, 1)
    return pixels


def _answers(lines: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """For each line the likeliest character at each step, and how likely it is."""
    (answer,) = models.session("recognition").run(None, {"x": as_input(lines)})
    best = answer.argmax(axis=2)
    return zip(best, np.take_along_axis(answer, best[:, :, None], axis=2)[:, :, 0], strict=True)


def _pieces(best: Any, sure: Any, width: int) -> list[Piece]:
    """Steps to words: repeated answers count once, and blanks between two equal letters tell them apart."""
    fresh = np.flatnonzero((best != 0) & (np.diff(best, prepend=-1) != 0))
    letters = models.alphabet()
    words: list[Piece] = []
    at: list[int] = []
    for step in [*fresh.tolist(), None]:
        if step is not None and not letters[best[step]].isspace():
            at.append(step)
        elif at:
            words.append(_piece("".join(letters[best[one]] for one in at), at, sure, width / _STEP))
            at = []
    return words


def _piece(text: str, at: list[int], sure: Any, steps: float) -> Piece:
    margin = 0.5 if len(at) < 2 else (at[-1] - at[0]) / (len(at) - 1) / 2
    start, end = (at[0] + 0.5 - margin) / steps, (at[-1] + 0.5 + margin) / steps
    letters = tuple(sure[at].tolist())
    return Piece(text, max(0.0, start), min(1.0, max(end, start)), sum(letters) / len(letters), letters)
