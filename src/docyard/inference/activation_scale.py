"""Estimated magnitudes of the inputs of a BERT encoder's dense layers, derived from its weights alone.

Dynamic int8 quantisation uses one scale for all inputs of a layer, so a few large inputs would round the
others to zero. Dividing each input by its estimated magnitude avoids that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    Weights = Mapping[str, np.ndarray]

_LAYER = re.compile(r"encoder\.layer\.(\d+)\.(.+)")
_DEVIATIONS = 4.0  # standard deviations above the mean; hardly any input is larger
_GELU_MINIMUM = 0.17  # magnitude of the lowest value of the activation function


def input_magnitudes(weights: Weights, name: str) -> np.ndarray:
    """Return the approximate maximum magnitude of each input of the dense layer with this name."""
    import numpy as np

    found = _LAYER.fullmatch(name)
    if found is None:
        raise KeyError(name)
    layer, part = int(found[1]), found[2]
    first = "embeddings" if layer == 0 else f"encoder.layer.{layer - 1}.output"
    here = f"encoder.layer.{layer}"
    match part:
        case "attention.output.dense":
            mean, deviation = _dense_statistics(weights, f"{here}.attention.self.value", first)
        case "output.dense":
            source = f"{here}.attention.output"
            mean, deviation = _dense_statistics(weights, f"{here}.intermediate.dense", source)
            return np.maximum(mean + _DEVIATIONS * deviation, _GELU_MINIMUM)
        case _:
            normed = first if part.startswith("attention.") else f"{here}.attention.output"
            mean, deviation = _norm_statistics(weights, normed)
    largest: np.ndarray = np.abs(mean) + _DEVIATIONS * deviation
    return largest


def _norm_statistics(weights: Weights, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation of the output of a layer normalisation: its bias and its scale."""
    return weights[f"{name}.LayerNorm.bias"], abs(weights[f"{name}.LayerNorm.weight"])


def _dense_statistics(weights: Weights, name: str, normed: str) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation of the output of a dense layer that follows a normalisation."""
    mean, deviation = _norm_statistics(weights, normed)
    matrix = weights[f"{name}.weight"]
    return matrix @ mean + weights[f"{name}.bias"], ((matrix * deviation) ** 2).sum(axis=1) ** 0.5
