"""Name tagger: a small model, fine-tuned from the sentence model, that finds names in text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docyard.inference.bert import build_tagger, read_weights
from docyard.inference.cpu import has_vnni
from docyard.inference.embedding import find_package_folder, missing_packages
from docyard.inference.tag_decoder import TaggedName, decode_names
from docyard.inference.token_windows import Token, encode_shape, has_words, load_tokenizer, split_windows, tokenize

if TYPE_CHECKING:
    import numpy as np

WEIGHTS = Path(__file__).with_name("tagger.npz")
_CLS, _SEP = 101, 102  # token ids before and after every window
_BATCH_SIZE = 8


def is_installed() -> bool:
    """Return whether the model and its packages are installed; without them, only rules find names."""
    return WEIGHTS.is_file() and _base() is not None


@cache
def _base() -> Path | None:
    """Return the folder of the package's model, or None; the tagger stores differences from its weights."""
    return None if missing_packages() else find_package_folder()


def find_names(text: str, weights: Path = WEIGHTS) -> list[TaggedName]:
    """Return the names in a text, in order; empty if the model is not installed."""
    folder = _base()
    return _load_tagger(folder, weights).find_names(text) if folder else []


class _Tagger:
    """A loaded model; it is cached, because loading takes a fraction of a second."""

    def __init__(self, folder: Path, weights: Path) -> None:
        import onnxruntime

        shape = json.loads((folder / "config.json").read_text())
        self._base = read_weights(folder / "model.safetensors")
        own = load_weights(self._base, weights)
        self._shapes = own["shapes"]
        layers = 1 + max(int(name.split(".")[2]) for name in own if name.startswith("encoder."))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 3
        shape |= {"num_hidden_layers": layers}
        # int8 takes half the time, and F1 changes by less than the noise: docs/decisions/0010.
        encoder = build_tagger(own, shape, in_bytes=has_vnni()).SerializeToString()
        self._session = onnxruntime.InferenceSession(encoder, options, providers=["CPUExecutionProvider"])
        self._tokenizer = load_tokenizer(folder)

    def find_names(self, text: str) -> list[TaggedName]:
        """Return the names in a text; windows of similar length form a batch, to keep the padding small."""
        tokens = tokenize(self._tokenizer, text)
        ranges = [(first, last) for first, last in split_windows(tokens, text) if has_words(tokens[first:last])]
        order = sorted(range(len(ranges)), key=lambda n: ranges[n][1] - ranges[n][0])
        found: dict[int, list[TaggedName]] = {}
        for first in range(0, len(order), _BATCH_SIZE):
            indexes = order[first : first + _BATCH_SIZE]
            batch = [tokens[slice(*ranges[n])] for n in indexes]
            for n, window, scores in zip(indexes, batch, self._predict(batch), strict=True):
                found[n] = list(decode_names(window, scores[1 : 1 + len(window)], text))
        return [each for n in range(len(ranges)) for each in found[n]]

    def _predict(self, batch: Sequence[Sequence[Token]]) -> np.ndarray:
        import numpy as np

        longest = max(map(len, batch)) + 2
        ids, shapes = (np.zeros((len(batch), longest), dtype=np.int64) for _ in range(2))
        mask = np.zeros((len(batch), longest), dtype=np.float32)
        for row, window in enumerate(batch):
            ids[row, : len(window) + 2] = [_CLS, *(piece.id for piece in window), _SEP]
            shapes[row, 1 : len(window) + 1] = [encode_shape(piece) for piece in window]
            mask[row, : len(window) + 2] = 1
        words = self._base["embeddings.word_embeddings.weight"][ids] + self._shapes[shapes]
        words = words + self._base["embeddings.position_embeddings.weight"][:longest]
        words = words + self._base["embeddings.token_type_embeddings.weight"][0]
        (scores,) = self._session.run(None, {"words": words.astype(np.float32), "mask": mask})
        return np.asarray(scores)


def load_weights(base: Any, path: Path) -> dict[str, np.ndarray]:
    """Return the trained weights; the file has int8 differences from `base`, with a scale per row."""
    import numpy as np

    own = {}
    with np.load(path, allow_pickle=False) as stored:
        for name in stored.files:
            if name.endswith("|unit"):
                continue
            value = stored[name].astype(np.float32)
            if f"{name}|unit" in stored.files:
                value = value * stored[f"{name}|unit"].astype(np.float32)[:, None]
            own[name] = value + base[name] if name in base else value
    return own


@cache
def _load_tagger(folder: Path, weights: Path) -> _Tagger:
    return _Tagger(folder, weights)
