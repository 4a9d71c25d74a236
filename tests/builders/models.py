"""Generated sentence models: small, with random weights, in the format of real ones."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers

SIZE, HEADS, LAYERS, WIDE = 32, 4, 2, 64
WORDS = ["[PAD]", "[UNK]", "walrus", "tusks", "anchor", "rope", "harbour", "a", "the", "of", "and"]


def make_model(folder: Path, *, seed: int = 1, family: str = "bert", without: str = "") -> Path:
    """Write configuration, weights (except `without`) and tokenizer of a small BERT; return the folder."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    config = {
        "model_type": family,
        "hidden_act": "gelu",
        "hidden_size": SIZE,
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": 64,
    }
    (folder / "config.json").write_text(json.dumps(config))
    tensors = {name: rng.normal(0, 0.2, shape) for name, shape in _list_shapes().items() if name != without}
    (folder / "model.safetensors").write_bytes(_pack(tensors))
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def _list_shapes() -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), SIZE),
        "embeddings.position_embeddings.weight": (64, SIZE),
        "embeddings.token_type_embeddings.weight": (2, SIZE),
        **_norm("embeddings.LayerNorm"),
    }
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            shapes |= _dense(f"{name}.attention.self.{part}", SIZE, SIZE)
        shapes |= _dense(f"{name}.attention.output.dense", SIZE, SIZE) | _norm(f"{name}.attention.output.LayerNorm")
        shapes |= _dense(f"{name}.intermediate.dense", WIDE, SIZE)
        shapes |= _dense(f"{name}.output.dense", SIZE, WIDE) | _norm(f"{name}.output.LayerNorm")
    return shapes


def _dense(name: str, out: int, inner: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (out, inner), f"{name}.bias": (out,)}


def _norm(name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (SIZE,), f"{name}.bias": (SIZE,)}


def _pack(tensors: dict[str, np.ndarray]) -> bytes:
    """Encode tensors as a safetensors file: the length of the header, the header as JSON, the data."""
    entries: dict[str, object] = {}
    body = b""
    for name, tensor in tensors.items():
        data = tensor.astype("<f4").tobytes()
        offsets = [len(body), len(body) + len(data)]
        entries[f"bert.{name}"] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": offsets}
        body += data
    header = json.dumps(entries).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + body
