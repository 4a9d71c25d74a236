"""int8 models read the same text as 32-bit models, and are used only on processors with VNNI."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import onnx
import pytest

from docyard.inference import cpu, tagger
from docyard.inference.bert import build_tagger, read_weights
from docyard.inference.embedding import find_model
from docyard.ocr import activation_ranges, int8, models, paddle
from tests.builders.images import LINES, draw_lines

SENTENCE = (
    "Katharina Lindqvist of Marlow Shipping Ltd met Robert Okafor in Rotterdam, and they agreed that the "
    "crane would be repaired before the winter."
)


@pytest.fixture(autouse=True)
def fresh_models() -> Iterator[None]:
    models.load_session.cache_clear()
    yield
    models.load_session.cache_clear()


def count_operations(model: bytes) -> Counter[str]:
    return Counter(node.op_type for node in onnx.ModelProto.FromString(model).graph.node)


@pytest.mark.parametrize("has_vnni", [True, False])
def test_ocr_reads_the_same_text_with_and_without_int8(monkeypatch: pytest.MonkeyPatch, has_vnni: bool) -> None:
    monkeypatch.setattr(models, "has_vnni", lambda: has_vnni)
    seen = [" ".join(word.text for word in line.words) for line in paddle.read(draw_lines())]
    assert seen == list(LINES)
    inputs = [each.name for each in models.load_session("recognition").get_inputs()]
    assert inputs == ["x"]


def test_converts_only_layers_with_a_known_range() -> None:
    path = models.model_path("recognition")
    before = count_operations(int8.convert_to_int8(path, {}))
    after = count_operations(int8.convert_to_int8(path, activation_ranges.RECOGNITION))
    assert before["QuantizeLinear"] == 0
    assert after["QuantizeLinear"] > 60
    assert after["Conv"] + after["FusedConv"] == before["Conv"] + before["FusedConv"]
    assert after["FusedConv"] < before["FusedConv"]


def test_int8_requires_a_processor_with_vnni(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cpu_info = tmp_path / "cpuinfo"
    monkeypatch.setattr(cpu, "_CPU_INFO", cpu_info)
    assert not cpu.has_vnni()
    cpu_info.write_text("flags\t\t: fpu avx2 avx512f\n")
    assert not cpu.has_vnni()
    cpu_info.write_text("flags\t\t: fpu avx2 avx512f avx512_vnni\n")
    assert cpu.has_vnni()


@pytest.mark.parametrize("has_vnni", [True, False])
def test_tagger_finds_plain_names_with_and_without_int8(monkeypatch: pytest.MonkeyPatch, has_vnni: bool) -> None:
    monkeypatch.setattr(tagger, "has_vnni", lambda: has_vnni)
    tagger._load_tagger.cache_clear()
    found = {(each.kind, SENTENCE[each.start : each.end]) for each in tagger.find_names(SENTENCE)}
    tagger._load_tagger.cache_clear()
    assert found >= {
        ("person", "Katharina Lindqvist"),
        ("person", "Robert Okafor"),
        ("organisation", "Marlow Shipping Ltd"),
        ("place", "Rotterdam"),
    }


@pytest.mark.parametrize("in_bytes", [True, False])
def test_tag_graph_uses_int8_operators_if_requested(in_bytes: bool) -> None:
    model = find_model()
    assert model
    folder = model.folder
    base = read_weights(folder / "model.safetensors")
    shape = json.loads((folder / "config.json").read_text()) | {"num_hidden_layers": 1}
    graph = build_tagger(tagger.load_weights(base, tagger.WEIGHTS), shape, in_bytes=in_bytes)
    counts = count_operations(graph.SerializeToString())
    assert counts["DynamicQuantizeMatMul"] == (6 if in_bytes else 0), "all dense layers of the encoder"
    assert counts["MatMul"] == (3 if in_bytes else 9), "attention and the classifier"
