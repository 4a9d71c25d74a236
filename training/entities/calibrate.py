"""How sure the tagger may say it is: `python -m training.entities.calibrate CORPUS`."""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from docyard.inference.tag_decoder import ODDS
from docyard.inference.tagger import tagged
from training.entities.train import documents

_FOLD = 1
_STEPS, _RATE = 4000, 0.05
Case = tuple[float, bool]  # the model's own log odds, and whether the name was right


def cases(corpus: Path) -> dict[str, list[list[Case]]]:
    """By kind, what the tagger says of the texts held out, in two halves."""
    found: dict[str, list[list[Case]]] = defaultdict(lambda: [[], []])
    for name, texts in documents(corpus, _FOLD, held_out=True).items():
        if name.startswith("ler"):
            continue
        for number, text in enumerate(texts):
            for each in tagged(text.text):
                slope, shift = ODDS[each.kind]
                odds = (math.log(each.confidence / (1 - each.confidence)) - shift) / slope
                right = (each.kind, each.start, each.end) in text.truth
                found[each.kind][number % 2].append((odds, right))
    return found


def fitted(half: list[Case]) -> tuple[float, float]:
    """The line through the odds that makes what was seen most likely."""
    odds, right = (np.array(column, dtype=float) for column in zip(*half, strict=True))
    slope, shift = 1.0, 0.0
    for _ in range(_STEPS):
        wrong = 1 / (1 + np.exp(-(slope * odds + shift))) - right
        slope, shift = slope - _RATE * float(np.mean(wrong * odds)), shift - _RATE * float(np.mean(wrong))
    return slope, shift


def error(half: list[Case], slope: float, shift: float, bins: int = 8) -> float:
    """How far said and true shares lie apart, over groups of equal size."""
    said = sorted((1 / (1 + math.exp(-(slope * odds + shift))), right) for odds, right in half)
    size = max(1, len(said) // bins)
    groups = [said[first : first + size] for first in range(0, len(said), size)]
    return sum(
        abs(sum(each[0] for each in group) - sum(each[1] for each in group)) for group in groups
    ) / len(said)


def main() -> None:
    """Print for each kind the line to put into decoding.py, and how well half of it tells the other half."""
    for kind, (one, other) in cases(Path(sys.argv[1])).items():
        slope, shift = fitted(one + other)
        half = fitted(one)
        print(
            f'"{kind}": ({slope:.2f}, {shift:.2f}),  # {len(one) + len(other)} names; error as said '
            f"{error(other, 1, 0):.3f}, by the other half {error(other, *half):.3f}"
        )


if __name__ == "__main__":
    main()
