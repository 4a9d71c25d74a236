"""How large the numbers are that the layers of a BERT encoder take in, as its weights alone tell.

Eight bits have one unit for everything a layer takes in. Where a few numbers are many times as large as the
others, the others are rounded away; divided by what is told here, all are about equally large.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    Weights = Mapping[str, np.ndarray]

_PLACE = re.compile(r"encoder\.layer\.(\d+)\.(.+)")
_FAR = 4.0  # standard deviations that hardly any number goes beyond
_GELU_LEAST = 0.17  # how far below nought the activation goes, and no further


def spread(weights: Weights, name: str) -> np.ndarray:
    """About the largest size of each number that the dense layer of that name takes in."""
    import numpy as np

    found = _PLACE.fullmatch(name)
    if found is None:
        raise KeyError(name)
    layer, part = int(found[1]), found[2]
    first = "embeddings" if layer == 0 else f"encoder.layer.{layer - 1}.output"
    here = f"encoder.layer.{layer}"
    match part:
        case "attention.output.dense":
            mean, deviation = _after(weights, f"{here}.attention.self.value", first)
        case "output.dense":
            mean, deviation = _after(weights, f"{here}.intermediate.dense", f"{here}.attention.output")
            return np.maximum(mean + _FAR * deviation, _GELU_LEAST)
        case _:
            normed = first if part.startswith("attention.") else f"{here}.attention.output"
            mean, deviation = _normed(weights, normed)
    largest: np.ndarray = np.abs(mean) + _FAR * deviation
    return largest


def _normed(weights: Weights, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation of what a normalisation gives: they are its bias and its scale."""
    return weights[f"{name}.LayerNorm.bias"], abs(weights[f"{name}.LayerNorm.weight"])


def _after(weights: Weights, name: str, normed: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation of what a dense layer makes of what a normalisation gives."""
    mean, deviation = _normed(weights, normed)
    matrix = weights[f"{name}.weight"]
    return matrix @ mean + weights[f"{name}.bias"], ((matrix * deviation) ** 2).sum(axis=1) ** 0.5
