"""Pack the trained weights: `python -m training.entities.pack TRAINED OUTPUT`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch

from docyard.inference.bert import read_weights
from training.entities.encoder import model_folder

_MAX_STEP = 31  # largest int8 value, five bits and a sign; more bits did not improve F1


def pack(trained: Path, output: Path) -> None:
    """Save the encoder's matrices as int8 and all other weights as float16.

    The encoder's weights are saved as differences from the sentence model.
    """
    base = read_weights(model_folder() / "model.safetensors")
    stored: dict[str, np.ndarray] = {}
    for name, tensor in torch.load(trained, weights_only=True).items():
        value = tensor.numpy() - base[name] if name in base else tensor.numpy()
        if name in base and value.ndim == 2:
            scale = np.abs(value).max(axis=1) / _MAX_STEP + 1e-12
            stored[name] = np.rint(value / scale[:, None]).astype(np.int8)
            stored[f"{name}|unit"] = scale.astype(np.float32)
        else:
            stored[name] = value.astype(np.float16)
    np.savez_compressed(output, **stored)


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(sys.argv[2]))
