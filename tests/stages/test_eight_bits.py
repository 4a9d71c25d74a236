"""Recognition in eight bits reads what it reads otherwise, and only where the processor gains by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import onnx
import pytest

from docyard.engines.ocr import eight_bit, models, paddle, ranges
from tests.making.pictures import LINES, drawn


@pytest.fixture(autouse=True)
def fresh_models() -> Iterator[None]:
    models.session.cache_clear()
    yield
    models.session.cache_clear()


def operations(model: bytes) -> Counter[str]:
    return Counter(node.op_type for node in onnx.ModelProto.FromString(model).graph.node)


@pytest.mark.parametrize("worth", [True, False])
def test_text_reads_the_same_in_either(monkeypatch: pytest.MonkeyPatch, worth: bool) -> None:
    monkeypatch.setattr(eight_bit, "is_worth_it", lambda: worth)
    seen = [" ".join(word.text for word in line.words) for line in paddle.read(drawn())]
    assert seen == list(LINES)
    inputs = [each.name for each in models.session("recognition").get_inputs()]
    assert inputs == ["x"]


def test_layers_with_a_range_are_converted_and_others_left() -> None:
    path = models.path("recognition")
    before = operations(eight_bit.converted(path, {}))
    after = operations(eight_bit.converted(path, ranges.RECOGNITION))
    assert before["QuantizeLinear"] == 0
    assert after["QuantizeLinear"] > 60
    assert after["Conv"] + after["FusedConv"] == before["Conv"] + before["FusedConv"]
    assert after["FusedConv"] < before["FusedConv"]


def test_eight_bits_need_a_processor_made_for_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "cpuinfo"
    monkeypatch.setattr(eight_bit, "_CPU", told)
    assert not eight_bit.is_worth_it()
    told.write_text("flags\t\t: fpu avx2 avx512f\n")
    assert not eight_bit.is_worth_it()
    told.write_text("flags\t\t: fpu avx2 avx512f avx512_vnni\n")
    assert eight_bit.is_worth_it()
