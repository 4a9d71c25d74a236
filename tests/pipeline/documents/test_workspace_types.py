"""Document types of a workspace apply to classification by rules and by an LLM."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID

import pytest

from docyard.model.document_types import make_custom_type
from docyard.pipeline.reruns import classify_again, find_documents_to_reclassify
from docyard.pipeline.run import Pipeline
from docyard.store.document_types import load_types, save_type, switch_type
from tests.builders.ai_server import VALID_ANSWER, AiServer, run_ai_server
from tests.builders.llm_connections import CIPHER, add_test_connection
from tests.worker.worker_runs import fetch_rows, run_until_idle, upload_text

TEXT = """Sample taken at berth 7

Chloride 210 mg/l, nitrate 3 mg/l, reference range 0-250 mg/l.
"""
LAB = make_custom_type("lab report", "Results of laboratory tests of samples.", ["sample taken", "reference range"])


@pytest.fixture
def ai() -> Iterator[AiServer]:
    with run_ai_server() as running:
        yield running


def list_types(pipeline: Pipeline) -> list[str | None]:
    return [row["type"] for row in fetch_rows(pipeline, "SELECT type FROM documents ORDER BY seq")]


def test_classifies_with_the_types_of_the_workspace(pipeline: Pipeline, workspace: UUID, other_workspace: UUID) -> None:
    with pipeline.db.transaction() as conn:
        save_type(conn, workspace, LAB, "ann@example.org")
    for each in (workspace, other_workspace):
        upload_text(pipeline, each, TEXT)
    run_until_idle(pipeline)
    mine, theirs = list_types(pipeline)
    assert mine == "lab_report"
    assert theirs != "lab_report"


def test_classifies_documents_again_on_request(pipeline: Pipeline, workspace: UUID) -> None:
    upload_text(pipeline, workspace, TEXT)
    run_until_idle(pipeline)
    assert list_types(pipeline) != ["lab_report"]
    with pipeline.db.transaction() as conn:
        save_type(conn, workspace, LAB, None)
    run_until_idle(pipeline)
    assert list_types(pipeline) != ["lab_report"], "nothing is reprocessed automatically"
    with pipeline.db.transaction() as conn:
        assert classify_again(conn, find_documents_to_reclassify(conn, workspace, ("lab_report",))) == 1
    run_until_idle(pipeline)
    assert list_types(pipeline) == ["lab_report"]
    with pipeline.db.transaction() as conn:
        switch_type(conn, workspace, "lab_report", None, on=False)
        names = load_types(conn, workspace).names
        classify_again(conn, find_documents_to_reclassify(conn, workspace, names))
    run_until_idle(pipeline)
    assert list_types(pipeline) != ["lab_report"]
    (done,) = fetch_rows(pipeline, "SELECT count(*) AS n FROM stage_results WHERE stage = 'relate'")
    assert done == {"n": 1}, "stages that depend on the type ran again, once"


def test_an_llm_chooses_among_the_types_of_the_workspace(pipeline: Pipeline, workspace: UUID, ai: AiServer) -> None:
    asking = replace(pipeline, cipher=CIPHER, limits=replace(pipeline.limits, ai_seconds=5.0))
    add_test_connection(asking.db, workspace, ai)
    with asking.db.transaction() as conn:
        save_type(conn, workspace, LAB, None)
        switch_type(conn, workspace, "invoice", None, on=False)
    ai.answer = {**VALID_ANSWER, "type": "Lab report"}
    upload_text(asking, workspace, "A note about nothing.")
    run_until_idle(asking)
    assert list_types(asking) == ["lab_report"]
    request = str(ai.asked[0])
    assert "lab_report: Results of laboratory tests of samples." in request
    assert "court_list, receipt" in request, "a disabled type is not offered"
    ai.answer = {**VALID_ANSWER, "type": "invoice"}
    upload_text(asking, workspace, "Another note about nothing.")
    run_until_idle(asking)
    assert list_types(asking)[1] != "invoice", "a disabled type is not accepted"
