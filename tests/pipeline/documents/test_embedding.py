"""Embedding runs after the last stage, delays no document, and is repeated for a new model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any
from uuid import UUID

import pytest

from docyard import queue
from docyard.errors import Retry
from docyard.inference.embedding import Model
from docyard.intake import Arrival, receive
from docyard.pipeline import embedding
from docyard.pipeline.run import Pipeline
from docyard.search import embed_query, find_related, search
from docyard.store import embeddings
from docyard.worker import run_worker, upkeep
from docyard.worker.options import WorkerOptions
from docyard.worker.stop_request import StopRequest
from tests.builders.models import make_model
from tests.pipeline.documents.other_model import run_embeddings_duty, use_model
from tests.queue.queue_workers import register_worker
from tests.worker.worker_runs import OPTIONS, fetch_row, run_in_thread, wait_until

COUNT_JOBS = "SELECT count(*) AS jobs FROM jobs"


def put(pipeline: Pipeline, workspace: UUID, text: str) -> UUID:
    arrival = Arrival(workspace_id=workspace, name=f"{text[:8]}.txt", source="upload")
    return receive(pipeline.db, pipeline.blobs, pipeline.limits, arrival, [text.encode()]).document_id


def status(pipeline: Pipeline, document: UUID) -> str:
    return str(fetch_row(pipeline, "SELECT status FROM documents WHERE id = %s", document)["status"])


def count_vectors(pipeline: Pipeline) -> int:
    return int(fetch_row(pipeline, "SELECT count(*) AS n FROM chunk_embeddings")["n"])


def work_until_idle(pipeline: Pipeline, document: UUID) -> None:
    with run_in_thread(pipeline):
        wait_until(lambda: status(pipeline, document) == "completed", "the document")
        wait_until(lambda: fetch_row(pipeline, COUNT_JOBS) == {"jobs": 0}, "every job to end")


def test_finds_a_document_by_semantic_search(pipeline: Pipeline, workspace: UUID) -> None:
    sea = put(pipeline, workspace, "The walrus is a large marine mammal with long tusks that lives on ice.")
    put(pipeline, workspace, "Invoice number seven: four office chairs and a table, payable within thirty days.")
    seals = put(pipeline, workspace, "Seals swim in cold oceans and rest on floating ice between dives.")
    work_until_idle(pipeline, seals)
    assert count_vectors(pipeline) == 3
    meaning = embed_query(pipeline.children, "arctic sea animals", patience=120)
    assert meaning
    with pipeline.db.transaction(workspace) as conn:
        result = search(conn, "arctic sea animals", meaning=meaning, mode="semantic")
        assert {hit.document_id for hit in result.hits} == {sea, seals}
        assert [hit.document_id for hit in find_related(conn, sea)] == [seals]


def test_leaves_a_slot_for_new_documents(pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are processed regardless of how many embedding jobs are queued and how long they take."""
    release = Event()
    monkeypatch.setattr(embedding, "_embed_some", lambda *_: release.wait(60))
    first, second = put(pipeline, workspace, "A walrus."), put(pipeline, workspace, "A seal.")
    running = "SELECT count(*) AS n FROM jobs WHERE pool = 'embed' AND state = 'running'"
    with run_in_thread(pipeline, replace(OPTIONS, slots=2)):
        for document in (first, second):
            wait_until(lambda d=document: status(pipeline, d) == "completed", "both")  # type: ignore[misc]
        wait_until(lambda: fetch_row(pipeline, running) == {"n": 1}, "one of them to be embedded")
        third = put(pipeline, workspace, "A third one.")
        wait_until(lambda: status(pipeline, third) == "completed", "the third")
        assert fetch_row(pipeline, running) == {"n": 1}
        release.set()
        wait_until(lambda: fetch_row(pipeline, COUNT_JOBS) == {"jobs": 0}, "every job to end")


def test_a_failed_embedding_does_not_fail_the_document(
    pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Any:
        raise Retry("crash", "The reader crashed.")

    monkeypatch.setattr(embedding, "_embed_some", fail)
    document = put(pipeline, workspace, "A walrus.")
    with run_in_thread(pipeline):
        failed = wait_until(
            lambda: fetch_row(pipeline, "SELECT pool, failure_history FROM jobs WHERE failure_history <> '[]'"),
            "a failure",
        )
    assert failed["pool"] == "embed"
    assert "crashed" in str(failed["failure_history"])
    assert status(pipeline, document) == "completed"
    assert fetch_row(pipeline, "SELECT reason, failures FROM documents") == {"reason": None, "failures": 0}


def test_queues_nothing_without_a_model(pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docyard.pipeline.embedding_jobs.find_model", lambda: None)
    document = put(pipeline, workspace, "A walrus.")
    work_until_idle(pipeline, document)
    assert fetch_row(pipeline, "SELECT count(*) AS n FROM job_history WHERE pool = 'embed'") == {"n": 0}


def test_ends_embedding_jobs_without_pgvector(pipeline: Pipeline, workspace: UUID) -> None:
    with pipeline.db.transaction() as conn:
        conn.execute("DROP TABLE chunk_embeddings")
    document = put(pipeline, workspace, "A walrus.")
    with pipeline.db.transaction() as conn:
        conn.execute(
            "INSERT INTO jobs (workspace_id, pool, tier, type, document_id) VALUES (%s, 'embed', 1, %s, %s)",
            (workspace, "embed_document", document),
        )
    work_until_idle(pipeline, document)
    assert fetch_row(pipeline, "SELECT outcome FROM job_history WHERE pool = 'embed'") == {"outcome": "done"}


def test_a_new_model_embeds_all_documents_again_in_the_low_tier(
    pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(upkeep, "DUTIES", ())
    document = put(pipeline, workspace, "A walrus.")
    work_until_idle(pipeline, document)
    assert run_embeddings_duty(pipeline, workspace) is None, "nothing is left to embed"
    with use_model(make_model(tmp_path / "newer")) as newer:
        _check_new_model(pipeline, workspace, document, newer)


def _check_new_model(pipeline: Pipeline, workspace: UUID, document: UUID, newer: Model) -> None:
    assert run_embeddings_duty(pipeline, workspace) == "Documents queued for embedding: 1"
    assert run_embeddings_duty(pipeline, workspace) is None, "it is queued once"
    assert fetch_row(pipeline, "SELECT tier, document_id FROM jobs") == {"tier": 2, "document_id": document}
    work_until_idle(pipeline, document)
    with pipeline.db.transaction() as conn:
        number = embeddings.find_model(conn, newer.fingerprint)
    assert fetch_row(pipeline, "SELECT array_agg(model) AS models FROM chunk_embeddings") == {"models": [number]}


def test_embeds_a_long_document_in_several_jobs(
    pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_MAX_SECONDS", 0.0)
    monkeypatch.setattr(embedding, "_BATCH_SIZE", 1)
    document = put(pipeline, workspace, "\n\n".join(f"Chapter {n}. " + "Walrus tusks. " * 80 for n in range(3)))
    work_until_idle(pipeline, document)
    jobs = fetch_row(pipeline, "SELECT count(*) AS n FROM job_history WHERE pool = 'embed'")["n"]
    assert count_vectors(pipeline) >= 3
    assert jobs > count_vectors(pipeline)


def test_a_stopping_worker_leaves_the_rest_to_another_job(
    pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C must not wait a minute for embeddings."""
    monkeypatch.setattr(embedding, "_BATCH_SIZE", 1)
    put(pipeline, workspace, "\n\n".join(f"Chapter {n}. " + "Walrus tusks. " * 80 for n in range(3)))
    run_worker(pipeline, WorkerOptions(slots=1, single_run=True, resources=("cpu",)), StopRequest())
    with pipeline.db.transaction() as conn:
        (lease,) = queue.claim(conn, "embed", register_worker(conn), 1)
    embedding.embed_document(replace(pipeline, is_stopping=lambda: True), lease, lambda: False)
    assert count_vectors(pipeline) == 1
    assert fetch_row(pipeline, "SELECT state FROM jobs WHERE pool = 'embed'") == {"state": "pending"}
