"""PyTorch model of the tagger: the sentence model's encoder with word shapes and a classifier."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from torch import Tensor, nn

from docyard.inference.bert import read_weights
from docyard.inference.embedding import find_model
from docyard.inference.token_windows import SHAPES


def model_folder() -> Path:
    """Return the folder of the sentence model."""
    model = find_model()
    if model is None:
        sys.exit("The sentence model is not installed.")
    return model.folder


class Layer(nn.Module):
    """One layer of BERT."""

    def __init__(self, size: int, wide: int, heads: int, epsilon: float, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.query, self.key, self.value, self.output = (nn.Linear(size, size) for _ in range(4))
        self.wide, self.narrow = nn.Linear(size, wide), nn.Linear(wide, size)
        self.norm1, self.norm2 = nn.LayerNorm(size, epsilon), nn.LayerNorm(size, epsilon)

    def forward(self, hidden: Tensor, penalty: Tensor) -> Tensor:
        rows, length, size = hidden.shape

        def split_heads(dense: nn.Linear) -> Tensor:
            return dense(hidden).view(rows, length, self.heads, -1).transpose(1, 2)

        attended = nn.functional.scaled_dot_product_attention(
            split_heads(self.query), split_heads(self.key), split_heads(self.value), attn_mask=penalty
        )
        attended = self.output(attended.transpose(1, 2).reshape(rows, length, size))
        hidden = self.norm1(hidden + self._drop_out(attended))
        return self.norm2(hidden + self._drop_out(self.narrow(nn.functional.gelu(self.wide(hidden)))))

    def _drop_out(self, hidden: Tensor) -> Tensor:
        return nn.functional.dropout(hidden, self.dropout, self.training)


_NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "output": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
    "norm2": "output.LayerNorm",
}


class Tagger(nn.Module):
    """The first layers of the encoder, with word shapes added to its input, and a token classifier."""

    def __init__(self, folder: Path, layers: int, tags: int, dropout: float = 0.1) -> None:
        super().__init__()
        shape, weights = (json.loads((folder / "config.json").read_text()), read_weights(folder / "model.safetensors"))
        size, epsilon = shape["hidden_size"], shape["layer_norm_eps"]

        def tensor(name: str) -> Tensor:
            return torch.tensor(weights[name])

        self.dropout = dropout
        self.words = nn.Embedding.from_pretrained(tensor("embeddings.word_embeddings.weight"), freeze=True)
        positions = tensor("embeddings.position_embeddings.weight")
        self.positions = nn.Embedding.from_pretrained(
            positions + tensor("embeddings.token_type_embeddings.weight")[0], freeze=True
        )
        self.shapes = nn.Embedding(4 * len(SHAPES), size)
        nn.init.zeros_(self.shapes.weight)
        self.norm = nn.LayerNorm(size, epsilon)
        heads, wide = shape["num_attention_heads"], shape["intermediate_size"]
        self.layers = nn.ModuleList(Layer(size, wide, heads, epsilon, dropout) for _ in range(layers))
        self.head = nn.Linear(size, tags)
        self._load_weights(tensor, layers)

    def _load_weights(self, tensor, layers: int) -> None:
        with torch.no_grad():
            self.norm.weight.copy_(tensor("embeddings.LayerNorm.weight"))
            self.norm.bias.copy_(tensor("embeddings.LayerNorm.bias"))
            for number in range(layers):
                for ours, theirs in _NAMES.items():
                    for part in ("weight", "bias"):
                        getattr(getattr(self.layers[number], ours), part).copy_(
                            tensor(f"encoder.layer.{number}.{theirs}.{part}")
                        )

    def forward(self, tokens: Tensor, shapes: Tensor, mask: Tensor) -> Tensor:
        positions = torch.arange(tokens.shape[1])
        hidden = self.norm(self.words(tokens) + self.positions(positions) + self.shapes(shapes))
        hidden = nn.functional.dropout(hidden, self.dropout, self.training)
        penalty = ((1 - mask.float()) * -1e9)[:, None, None, :]
        for layer in self.layers:
            hidden = layer(hidden, penalty)
        return self.head(hidden)

    def trained_weights(self) -> dict[str, Tensor]:
        """Return the trained weights; those of the encoder are named as in the sentence model."""
        found = {"shapes": self.shapes.weight, "head.weight": self.head.weight, "head.bias": self.head.bias}
        found |= {f"embeddings.LayerNorm.{part}": getattr(self.norm, part) for part in ("weight", "bias")}
        for number, layer in enumerate(self.layers):
            for ours, theirs in _NAMES.items():
                for part in ("weight", "bias"):
                    found[f"encoder.layer.{number}.{theirs}.{part}"] = getattr(getattr(layer, ours), part)
        return {name: value.detach() for name, value in found.items()}
