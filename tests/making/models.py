"""Sentence models made by code: small, random, and run like a real one."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers

SIZE, HEADS, LAYERS, WIDE = 32, 4, 2, 64
WORDS = ["[PAD]", "[UNK]", "walrus", "tusks", "anchor", "rope", "harbour", "a", "the", "of", "and"]


def make_model(folder: Path, *, seed: int = 1, family: str = "bert", without: str = "") -> Path:
    """A folder with the weights of a small BERT, all of them but one."""
    folder.mkdir(parents=True)
    chance = np.random.default_rng(seed)
    shape = {
        "model_type": family,
        "hidden_act": "gelu",
        "hidden_size": SIZE,
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": 64,
    }
    (folder / "config.json").write_text(json.dumps(shape))
    tensors = {name: chance.normal(0, 0.2, size) for name, size in _sizes().items() if name != without}
    (folder / "model.safetensors").write_bytes(_packed(tensors))
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def _sizes() -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), SIZE),
        "embeddings.position_embeddings.weight": (64, SIZE),
        "embeddings.token_type_embeddings.weight": (2, SIZE),
        **_norm("embeddings.LayerNorm"),
    }
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            found |= _dense(f"{name}.attention.self.{part}", SIZE, SIZE)
        found |= _dense(f"{name}.attention.output.dense", SIZE, SIZE) | _norm(
            f"{name}.attention.output.LayerNorm"
        )
        found |= _dense(f"{name}.intermediate.dense", WIDE, SIZE)
        found |= _dense(f"{name}.output.dense", SIZE, WIDE) | _norm(f"{name}.output.LayerNorm")
    return found


def _dense(name: str, out: int, inner: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (out, inner), f"{name}.bias": (out,)}


def _norm(name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (SIZE,), f"{name}.bias": (SIZE,)}


def _packed(tensors: dict[str, np.ndarray]) -> bytes:
    """As safetensors has them: a length, a header in JSON, the numbers."""
    head: dict[str, object] = {}
    body = b""
    for name, tensor in tensors.items():
        data = tensor.astype("<f4").tobytes()
        offsets = [len(body), len(body) + len(data)]
        head[f"bert.{name}"] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": offsets}
        body += data
    header = json.dumps(head).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + body
