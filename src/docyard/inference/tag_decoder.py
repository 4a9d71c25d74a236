"""Decoding of tag scores to names: the best valid tag sequence, and a calibrated confidence per name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from docyard.inference.token_windows import Token

if TYPE_CHECKING:
    import numpy as np

KINDS = ("person", "organisation", "place", "other", "equipment", "part", "fault", "action")
TAGS = ("O", *(f"{letter}-{kind}" for kind in KINDS for letter in "BI"))
_IGNORED = "other"  # works, products, nationalities; trained only to keep them out of the other kinds
_FORBIDDEN = -1e4  # score of an invalid transition
_PARAGRAPH_BREAK = re.compile(r"\n\s*\n")
_PUNCTUATION = '<>[]{}|,;:"“”„ \t\n'  # trimmed from both ends of a name
# Platt scaling per kind: slope and intercept of the log odds, fitted on held-out texts by
# training/entities/calibrate.py.
CALIBRATION = {
    "person": (0.67, 0.25),
    "organisation": (0.82, -0.63),
    "place": (0.95, -1.22),
    "other": (1.0, 0.0),
    "equipment": (0.42, 0.82),
    "part": (0.59, -0.45),
    "fault": (0.60, -0.36),
    "action": (0.87, -0.31),
}


class TaggedName(NamedTuple):
    """A name in a text, with its kind, its span and its confidence."""

    kind: str
    start: int
    end: int
    confidence: float


def decode_names(part: Sequence[Token], scores: np.ndarray, text: str) -> Iterator[TaggedName]:
    """Yield the names in a window of tokens, with calibrated confidences."""
    import numpy as np

    word_starts = [index for index, piece in enumerate(part) if piece.starts_word]
    if not word_starts:
        return
    word_scores = scores[word_starts]
    log_probabilities = word_scores - np.logaddexp.reduce(word_scores, axis=1, keepdims=True)
    tags = _find_best_tags(log_probabilities)
    ends = [*(part[index - 1].end for index in word_starts[1:]), part[-1].end]
    for first, last in _find_runs(tags):
        kind = TAGS[tags[first]][2:]
        start, end = _trim(text, part[word_starts[first]].start, ends[last - 1])
        mean = float(np.mean([log_probabilities[word, tags[word]] for word in range(first, last)]))
        if kind != _IGNORED and start < end and not _PARAGRAPH_BREAK.search(text[start:end]):
            yield TaggedName(kind, start, end, _calibrate(kind, mean))


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without punctuation and white space at both ends."""
    stripped = text[start:end].lstrip(_PUNCTUATION)
    return end - len(stripped), end - len(stripped) + len(stripped.rstrip(_PUNCTUATION))


def _calibrate(kind: str, log_probability: float) -> float:
    """Return the confidence: the expected share of correct names among those with this log probability."""
    probability = min(max(math.exp(log_probability), 1e-4), 1 - 1e-4)
    slope, intercept = CALIBRATION[kind]
    confidence = 1 / (1 + math.exp(-slope * math.log(probability / (1 - probability)) - intercept))
    return round(min(max(confidence, 0.001), 0.999), 3)


def _find_best_tags(log_probabilities: np.ndarray) -> list[int]:
    """Return the best valid tag sequence (Viterbi); I- follows only B- or I- of the same kind."""
    import numpy as np

    transitions = _transition_scores()
    best, back = log_probabilities[0] + transitions[0], []
    for row in log_probabilities[1:]:
        paths = best[:, None] + transitions
        back.append(paths.argmax(axis=0))
        best = paths.max(axis=0) + row
    tags = [int(best.argmax())]
    for step in reversed(back):
        tags.append(int(step[tags[-1]]))
    return [int(tag) for tag in np.array(tags[::-1])]


def _transition_scores() -> np.ndarray:
    import numpy as np

    scores = np.zeros((len(TAGS), len(TAGS)), dtype=np.float32)
    for row, tag in enumerate(TAGS):
        for column, following in enumerate(TAGS):
            if following.startswith("I-") and (tag == "O" or tag[2:] != following[2:]):
                scores[row, column] = _FORBIDDEN
    return scores


def _find_runs(tags: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of words that form one name each."""
    first = None
    for index, tag in enumerate([*tags, 0]):
        if first is not None and not TAGS[tag].startswith("I-"):
            yield first, index
            first = None
        if TAGS[tag].startswith("B-"):
            first = index
