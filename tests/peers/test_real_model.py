"""Classification by a real model behind an OpenAI API: protocol and schema work; quality is not tested."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from bench.envs import clean_environment, peer_python
from docyard.db import Database
from docyard.inference import llm
from docyard.intake import Arrival, receive
from docyard.model.connections import NewConnection
from docyard.pipeline.run import Pipeline
from docyard.store.connections import add_connection, set_classifier
from docyard.store.documents import get_document
from docyard.store.results import load_stage_results
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.stop_request import StopRequest
from tests.builders.llm_connections import BOUNDS, CIPHER

TEXTS = (
    "INVOICE\n\nHarbour Supplies Ltd\nInvoice number: 4711\nDate: 14 March 2026\n\nRopes\nTotal 120.00 EUR\n",
    "Dear Ms Parker,\n\nthank you for your letter of 2 May. We will repair the winch soon.\n\nYours, Tom",
    "LEASE AGREEMENT\n\nThis agreement is made between the Harbour Authority and Blue Boats Inc.\n",
    "WORK ORDER 99\n\nEquipment: pump P-7\nFault: leaking seal\nAction: replace the seal and test.\n",
)


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    """The URL of the running model server."""
    command = [str(peer_python("llm")), str(Path(__file__).with_name("model_server.py"))]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=clean_environment(),
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        yield process.stdout.readline().strip()
        process.stdin.close()


def connect(database: Database, workspace: UUID, address: str) -> None:
    with database.transaction(workspace) as conn:
        new = NewConnection("Small", "openai", "SmolLM2-135M-Instruct", f"{address}/v1")
        set_classifier(conn, workspace, add_connection(conn, new, CIPHER, BOUNDS))


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_classifies_documents_with_a_real_model(
    pipeline: Pipeline, workspace: UUID, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Such a small model often generates endless answers within the schema, so they are cut off.
    monkeypatch.setattr(llm, "_MAX_TOKENS", 400)
    connect(pipeline.db, workspace, model)
    added = [add(pipeline, workspace, text) for text in TEXTS]
    work(replace(pipeline, cipher=CIPHER))
    with pipeline.db.transaction() as conn:
        assert {get_document(conn, document).status for document in added} == {"completed"}
        results = [each for document in added for each in load_stage_results(conn, document)]
    classified = [each for each in results if each.stage == "classify_ai"]
    done = [each.facts for each in classified if each.outcome == "done"]
    assert len(classified) == len(TEXTS)
    assert done, [each.facts for each in classified]
    assert all(facts["source"] == "llm" and facts["title"] for facts in done)
    failures = {str(each.facts["category"]) for each in classified if each.outcome == "degraded"}
    assert failures <= {"ai_answer", "timeout"}, "only the content of an answer may fail, not the protocol"


def add(pipeline: Pipeline, workspace: UUID, text: str) -> UUID:
    arrival = Arrival(workspace, "letter.txt", "upload")
    return receive(pipeline.db, pipeline.blobs, pipeline.limits, arrival, [text.encode()]).document_id


def work(pipeline: Pipeline) -> None:
    for _ in range(30):
        run_worker(pipeline, WorkerOptions(slots=1, single_run=True), StopRequest())
        with pipeline.db.transaction() as conn:
            conn.execute("UPDATE jobs SET run_at = now() WHERE state = 'scheduled'")
            if conn.execute("SELECT FROM jobs WHERE type = 'document'").fetchone() is None:
                return
    raise AssertionError("jobs are still pending after 30 runs")
