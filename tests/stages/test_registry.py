"""The registry of stages: each stage needs only values that earlier stages return."""

from __future__ import annotations

from pathlib import Path

import pytest

from docyard.errors import Reject
from docyard.model.connections import LlmConnection
from docyard.model.document_types import WorkspaceTypes
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import DocumentChunks, PageImage, Source
from docyard.model.stages import StageInput
from docyard.pipeline.children import ChildPool, tasks
from docyard.stages import STAGES, get_stage
from tests.builders.pdf.pdfs import make_text_pdf
from tests.builders.stage_inputs import make_source


def test_each_stage_gets_the_values_it_needs() -> None:
    known: set[type[StageValue]] = {Source, WorkspaceTypes, LlmConnection, PageImage}
    for each in STAGES:
        assert set(each.inputs) <= known
        known.add(each.output)
    assert len({each.name for each in STAGES}) == len(STAGES) >= 10


def test_finds_stages_by_name() -> None:
    assert all(get_stage(each.name) is each for each in STAGES)
    with pytest.raises(KeyError):
        get_stage("bake")


def test_runs_all_stages_in_a_child(tmp_path: Path) -> None:
    file = make_source(tmp_path, make_text_pdf(["A short report", "with words"]), "r.pdf")
    values: list[StageValue] = [file, WorkspaceTypes()]
    with ChildPool(1, Limits()) as pool:
        for each in [each for each in STAGES if not (each.per_page or each.runs_in_worker)]:
            value = pool.call(tasks.run_stage, each.name, StageInput(values, Limits()), seconds=30)
            assert type(value) is each.output
            values.append(value)
    (chunked,) = (value for value in values if isinstance(value, DocumentChunks))
    assert chunked.chunks[0].text == "A short report\nwith words"


def test_renders_a_page_in_a_child(tmp_path: Path) -> None:
    path = make_source(tmp_path, make_text_pdf(["hello"])).path
    with ChildPool(1, Limits()) as pool:
        image = pool.call(tasks.render_page, path, "application/pdf", 1, 300, seconds=30)
        assert image.startswith(b"\x89PNG")
        with pytest.raises(Reject, match="cannot be shown"):
            pool.call(tasks.render_page, path, "image/x-icon", 1, 300, seconds=30)
