"""Names that no rule knows, by a small model of our own on top of the sentence model's encoder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docyard.inference.bert import read_weights, tag_graph
from docyard.inference.cpu import multiplies_bytes
from docyard.inference.embedding import missing_packages, package_folder
from docyard.inference.tag_decoder import TaggedName, names
from docyard.inference.token_windows import (
    Piece,
    has_words,
    load_tokenizer,
    pieces,
    shape_number,
    windows,
)

if TYPE_CHECKING:
    import numpy as np

WEIGHTS = Path(__file__).with_name("tagger.npz")
_BEGINS, _ENDS = 101, 102  # what stands before and after every window
_BATCH = 8


def installed() -> bool:
    """Whether there is a model to ask; without one the rules alone speak."""
    return WEIGHTS.is_file() and _base() is not None


@cache
def _base() -> Path | None:
    """The package's model: the weights here are differences from it, so no other will do."""
    return None if missing_packages() else package_folder()


def tagged(text: str, weights: Path = WEIGHTS) -> list[TaggedName]:
    """The names in a text, in order."""
    folder = _base()
    return _tagger(folder, weights).names(text) if folder else []


class _Tagger:
    """A loaded model; loading takes part of a second, so a process keeps it."""

    def __init__(self, folder: Path, weights: Path) -> None:
        import onnxruntime

        shape = json.loads((folder / "config.json").read_text())
        self._base = read_weights(folder / "model.safetensors")
        own = taught(self._base, weights)
        self._shapes = own["shapes"]
        layers = 1 + max(int(name.split(".")[2]) for name in own if name.startswith("encoder."))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 3
        shape |= {"num_hidden_layers": layers}
        # Half the time, and F1 within the noise, on processors that can: docs/decisions/0010.
        built = tag_graph(own, shape, in_bytes=multiplies_bytes()).SerializeToString()
        self._session = onnxruntime.InferenceSession(built, options, providers=["CPUExecutionProvider"])
        self._tokenizer = load_tokenizer(folder)

    def names(self, text: str) -> list[TaggedName]:
        """Windows of about equal length are read together, so that little is computed for padding."""
        found = pieces(self._tokenizer, text)
        parts = [(first, last) for first, last in windows(found, text) if has_words(found[first:last])]
        order = sorted(range(len(parts)), key=lambda n: parts[n][1] - parts[n][0])
        read: dict[int, list[TaggedName]] = {}
        for first in range(0, len(order), _BATCH):
            numbers = order[first : first + _BATCH]
            batch = [found[slice(*parts[n])] for n in numbers]
            for n, part, scores in zip(numbers, batch, self._scores(batch), strict=True):
                read[n] = list(names(part, scores[1 : 1 + len(part)], text))
        return [each for n in range(len(parts)) for each in read[n]]

    def _scores(self, batch: Sequence[Sequence[Piece]]) -> np.ndarray:
        import numpy as np

        longest = max(map(len, batch)) + 2
        ids, shapes = (np.zeros((len(batch), longest), dtype=np.int64) for _ in range(2))
        mask = np.zeros((len(batch), longest), dtype=np.float32)
        for row, part in enumerate(batch):
            ids[row, : len(part) + 2] = [_BEGINS, *(piece.token for piece in part), _ENDS]
            shapes[row, 1 : len(part) + 1] = [shape_number(piece) for piece in part]
            mask[row, : len(part) + 2] = 1
        words = self._base["embeddings.word_embeddings.weight"][ids] + self._shapes[shapes]
        words = words + self._base["embeddings.position_embeddings.weight"][:longest]
        words = words + self._base["embeddings.token_type_embeddings.weight"][0]
        (scores,) = self._session.run(None, {"words": words.astype(np.float32), "mask": mask})
        return np.asarray(scores)


def taught(base: Any, path: Path) -> dict[str, np.ndarray]:
    """The encoder's weights after training: each row's difference as small whole numbers and their unit."""
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
def _tagger(folder: Path, weights: Path) -> _Tagger:
    return _Tagger(folder, weights)
