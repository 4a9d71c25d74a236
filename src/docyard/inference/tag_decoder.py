"""From scores of tags to names: the best sequence that can be, and how sure each name is."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from docyard.inference.token_windows import Piece

if TYPE_CHECKING:
    import numpy as np

KINDS = ("person", "organisation", "place", "other", "equipment", "part", "fault", "action")
TAGS = ("O", *(f"{letter}-{kind}" for kind in KINDS for letter in "BI"))
_LEFT_OUT = "other"  # works, products, nationalities: taught so that they are not taken for the rest
_NEVER = -1e4
_APART = re.compile(r"\n\s*\n")
_AROUND = '<>[]{}|,;:"“”„ \t\n'  # what stands beside a name and is no part of it
# From how sure the model is to how often such names were right in texts it had not seen: a line through the
# odds for each kind, by training/entities/calibrate.py.
ODDS = {
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
    """A stretch of a text that names something, what it names, and how sure that is."""

    kind: str
    start: int
    end: int
    confidence: float


def names(part: Sequence[Piece], scores: np.ndarray, text: str) -> Iterator[TaggedName]:
    """The names of a window, each with the share of such names that are right."""
    import numpy as np

    heads = [at for at, piece in enumerate(part) if piece.first]
    if not heads:
        return
    chances = scores[heads] - np.logaddexp.reduce(scores[heads], axis=1, keepdims=True)
    tags = _best(chances)
    ends = [*(part[at - 1].end for at in heads[1:]), part[-1].end]
    for first, last in _runs(tags):
        kind = TAGS[tags[first]][2:]
        start, end = _trimmed(text, part[heads[first]].start, ends[last - 1])
        sure = float(np.mean([chances[at, tags[at]] for at in range(first, last)]))
        if kind != _LEFT_OUT and start < end and not _APART.search(text[start:end]):
            yield TaggedName(kind, start, end, calibrated(kind, sure))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without what a head of a letter or a list puts around a name."""
    begun = text[start:end].lstrip(_AROUND)
    return end - len(begun), end - len(begun) + len(begun.rstrip(_AROUND))


def calibrated(kind: str, log_chance: float) -> float:
    """A chance as it turned out on texts held out from training."""
    chance = min(max(math.exp(log_chance), 1e-4), 1 - 1e-4)
    slope, shift = ODDS[kind]
    sure = 1 / (1 + math.exp(-slope * math.log(chance / (1 - chance)) - shift))
    return round(min(max(sure, 0.001), 0.999), 3)


def _best(chances: np.ndarray) -> list[int]:
    """Viterbi: an inside follows only a beginning or an inside of its own kind."""
    import numpy as np

    allowed = _allowed()
    best, back = chances[0] + allowed[0], []
    for row in chances[1:]:
        ways = best[:, None] + allowed
        back.append(ways.argmax(axis=0))
        best = ways.max(axis=0) + row
    tags = [int(best.argmax())]
    for step in reversed(back):
        tags.append(int(step[tags[-1]]))
    return [int(tag) for tag in np.array(tags[::-1])]


def _allowed() -> np.ndarray:
    import numpy as np

    allowed = np.zeros((len(TAGS), len(TAGS)), dtype=np.float32)
    for before, tag in enumerate(TAGS):
        for after, following in enumerate(TAGS):
            if following.startswith("I-") and (tag == "O" or tag[2:] != following[2:]):
                allowed[before, after] = _NEVER
    return allowed


def _runs(tags: Sequence[int]) -> Iterator[tuple[int, int]]:
    first = None
    for at, tag in enumerate([*tags, 0]):
        if first is not None and not TAGS[tag].startswith("I-"):
            yield first, at
            first = None
        if TAGS[tag].startswith("B-"):
            first = at
