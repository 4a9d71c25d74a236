"""Pack what training changed: `python -m training.entities.pack TRAINED OUTPUT`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch

from docyard.inference.bert import read_weights
from training.entities.encoder import model_folder

_LEVELS = 31  # five bits and a sign; more gained nothing in F1


def pack(trained: Path, output: Path) -> None:
    """Differences from the encoder, each row in steps of its own unit; the rest in half precision."""
    base = read_weights(model_folder() / "model.safetensors")
    stored: dict[str, np.ndarray] = {}
    for name, tensor in torch.load(trained, weights_only=True).items():
        value = tensor.numpy() - base[name] if name in base else tensor.numpy()
        if name in base and value.ndim == 2:
            unit = np.abs(value).max(axis=1) / _LEVELS + 1e-12
            stored[name] = np.rint(value / unit[:, None]).astype(np.int8)
            stored[f"{name}|unit"] = unit.astype(np.float32)
        else:
            stored[name] = value.astype(np.float16)
    np.savez_compressed(output, **stored)


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(sys.argv[2]))
