"""Calibrate the confidences of the tagger: `python -m training.entities.calibrate CORPUS`."""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from docyard.inference.tag_decoder import CALIBRATION
from docyard.inference.tagger import find_names
from training.entities.train import documents

_FOLD = 1
_STEPS, _RATE = 4000, 0.05
Case = tuple[float, bool]  # log odds of the model, and whether the name was correct


def collect_cases(corpus: Path) -> dict[str, list[list[Case]]]:
    """Return two halves of the cases of each kind, from the held-out texts except German law."""
    found: dict[str, list[list[Case]]] = defaultdict(lambda: [[], []])
    for name, texts in documents(corpus, _FOLD, held_out=True).items():
        if name.startswith("ler"):
            continue
        for number, text in enumerate(texts):
            for each in find_names(text.text):
                slope, intercept = CALIBRATION[each.kind]
                odds = (math.log(each.confidence / (1 - each.confidence)) - intercept) / slope
                correct = (each.kind, each.start, each.end) in text.truth
                found[each.kind][number % 2].append((odds, correct))
    return found


def fit(half: list[Case]) -> tuple[float, float]:
    """Return slope and intercept that Platt scaling fits to these cases."""
    odds, correct = (np.array(column, dtype=float) for column in zip(*half, strict=True))
    slope, intercept = 1.0, 0.0
    for _ in range(_STEPS):
        residual = 1 / (1 + np.exp(-(slope * odds + intercept))) - correct
        gradient = float(np.mean(residual * odds)), float(np.mean(residual))
        slope, intercept = slope - _RATE * gradient[0], intercept - _RATE * gradient[1]
    return slope, intercept


def calibration_error(half: list[Case], slope: float, intercept: float, bins: int = 8) -> float:
    """Return the expected calibration error over bins with equal numbers of names."""
    predicted = sorted((1 / (1 + math.exp(-(slope * odds + intercept))), correct) for odds, correct in half)
    size = max(1, len(predicted) // bins)
    groups = [predicted[first : first + size] for first in range(0, len(predicted), size)]
    return sum(abs(sum(each[0] for each in group) - sum(each[1] for each in group)) for group in groups) / len(
        predicted
    )


def main() -> None:
    """Print CALIBRATION for tag_decoder.py, and the error on one half before and after fitting the other."""
    for kind, (one, other) in collect_cases(Path(sys.argv[1])).items():
        slope, intercept = fit(one + other)
        half = fit(one)
        print(
            f'"{kind}": ({slope:.2f}, {intercept:.2f}),  # {len(one) + len(other)} names; calibration error '
            f"{calibration_error(other, 1, 0):.3f} before, {calibration_error(other, *half):.3f} after"
        )


if __name__ == "__main__":
    main()
