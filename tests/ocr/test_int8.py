"""Models in eight bits read what they read otherwise, and only where the processor gains by it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import onnx
import pytest

from docyard.inference import cpu, tagger
from docyard.inference.bert import read_weights, tag_graph
from docyard.inference.embedding import find_model
from docyard.ocr import activation_ranges, int8, models, paddle
from tests.making.pictures import LINES, drawn

TOLD = (
    "Katharina Lindqvist of Marlow Shipping Ltd met Robert Okafor in Rotterdam, and they agreed that the "
    "crane would be repaired before the winter."
)


@pytest.fixture(autouse=True)
def fresh_models() -> Iterator[None]:
    models.session.cache_clear()
    yield
    models.session.cache_clear()


def operations(model: bytes) -> Counter[str]:
    return Counter(node.op_type for node in onnx.ModelProto.FromString(model).graph.node)


@pytest.mark.parametrize("worth", [True, False])
def test_text_reads_the_same_in_either(monkeypatch: pytest.MonkeyPatch, worth: bool) -> None:
    monkeypatch.setattr(models, "multiplies_bytes", lambda: worth)
    seen = [" ".join(word.text for word in line.words) for line in paddle.read(drawn())]
    assert seen == list(LINES)
    inputs = [each.name for each in models.session("recognition").get_inputs()]
    assert inputs == ["x"]


def test_layers_with_a_range_are_converted_and_others_left() -> None:
    path = models.path("recognition")
    before = operations(int8.converted(path, {}))
    after = operations(int8.converted(path, activation_ranges.RECOGNITION))
    assert before["QuantizeLinear"] == 0
    assert after["QuantizeLinear"] > 60
    assert after["Conv"] + after["FusedConv"] == before["Conv"] + before["FusedConv"]
    assert after["FusedConv"] < before["FusedConv"]


def test_eight_bits_need_a_processor_made_for_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "cpuinfo"
    monkeypatch.setattr(cpu, "_CPU", told)
    assert not cpu.multiplies_bytes()
    told.write_text("flags\t\t: fpu avx2 avx512f\n")
    assert not cpu.multiplies_bytes()
    told.write_text("flags\t\t: fpu avx2 avx512f avx512_vnni\n")
    assert cpu.multiplies_bytes()


@pytest.mark.parametrize("worth", [True, False])
def test_plain_names_are_found_in_either(monkeypatch: pytest.MonkeyPatch, worth: bool) -> None:
    monkeypatch.setattr(tagger, "multiplies_bytes", lambda: worth)
    tagger._tagger.cache_clear()
    found = {(each.kind, TOLD[each.start : each.end]) for each in tagger.tagged(TOLD)}
    tagger._tagger.cache_clear()
    assert found >= {
        ("person", "Katharina Lindqvist"),
        ("person", "Robert Okafor"),
        ("organisation", "Marlow Shipping Ltd"),
        ("place", "Rotterdam"),
    }


@pytest.mark.parametrize("in_bytes", [True, False])
def test_the_tagger_multiplies_bytes_where_told_to(in_bytes: bool) -> None:
    model = find_model()
    assert model
    folder = model.folder
    base = read_weights(folder / "model.safetensors")
    shape = json.loads((folder / "config.json").read_text()) | {"num_hidden_layers": 1}
    made = tag_graph(tagger.taught(base, tagger.WEIGHTS), shape, in_bytes=in_bytes)
    kinds = operations(made.SerializeToString())
    assert kinds["DynamicQuantizeMatMul"] == (6 if in_bytes else 0), "all dense layers of the encoder"
    assert kinds["MatMul"] == (3 if in_bytes else 9), "attention, and the head that decides"
