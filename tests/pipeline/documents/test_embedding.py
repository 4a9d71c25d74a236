"""Embedding follows a document's road, holds nothing back, and spreads a new model by itself."""

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
from docyard.search import meaning_of, related, search
from docyard.store import embeddings
from docyard.worker import run_worker, upkeep
from docyard.worker.options import WorkerOptions
from docyard.worker.stopping import Stopping
from tests.making.models import make_model
from tests.pipeline.documents.other_model import chore, chosen
from tests.queue.crew import hire
from tests.worker.at_work import OPTIONS, ask, at_work, wait_until

OVER = "SELECT count(*) AS jobs FROM jobs"


def put(pipeline: Pipeline, workspace: UUID, text: str) -> UUID:
    arrival = Arrival(workspace_id=workspace, name=f"{text[:8]}.txt", source="upload")
    return receive(pipeline.db, pipeline.blobs, pipeline.limits, arrival, [text.encode()]).document_id


def status(pipeline: Pipeline, document: UUID) -> str:
    return str(ask(pipeline, "SELECT status FROM documents WHERE id = %s", document)["status"])


def vectors(pipeline: Pipeline) -> int:
    return int(ask(pipeline, "SELECT count(*) AS n FROM chunk_embeddings")["n"])


def work_until_idle(pipeline: Pipeline, document: UUID) -> None:
    with at_work(pipeline):
        wait_until(lambda: status(pipeline, document) == "completed", "the document")
        wait_until(lambda: ask(pipeline, OVER) == {"jobs": 0}, "every job to end")


def test_a_document_is_found_by_its_meaning(pipeline: Pipeline, workspace: UUID) -> None:
    sea = put(pipeline, workspace, "The walrus is a large marine mammal with long tusks that lives on ice.")
    put(
        pipeline,
        workspace,
        "Invoice number seven: four office chairs and a table, payable within thirty days.",
    )
    seals = put(pipeline, workspace, "Seals swim in cold oceans and rest on floating ice between dives.")
    work_until_idle(pipeline, seals)
    assert vectors(pipeline) == 3
    meaning = meaning_of(pipeline.children, "arctic sea animals", patience=120)
    assert meaning
    with pipeline.db.transaction(workspace) as conn:
        result = search(conn, "arctic sea animals", meaning=meaning, mode="semantic")
        assert {hit.document_id for hit in result.hits} == {sea, seals}
        assert [hit.document_id for hit in related(conn, sea)] == [seals]


def test_it_leaves_a_slot_for_documents_that_arrive(
    pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many passages wait to be embedded, and however long that takes, a document goes its road."""
    go_on = Event()
    monkeypatch.setattr(embedding, "_embed_some", lambda *_: go_on.wait(60))
    first, second = put(pipeline, workspace, "A walrus."), put(pipeline, workspace, "A seal.")
    running = "SELECT count(*) AS n FROM jobs WHERE pool = 'embed' AND state = 'running'"
    with at_work(pipeline, replace(OPTIONS, slots=2)):
        for document in (first, second):
            wait_until(lambda d=document: status(pipeline, d) == "completed", "both")  # type: ignore[misc]
        wait_until(lambda: ask(pipeline, running) == {"n": 1}, "one of them to be embedded")
        third = put(pipeline, workspace, "A third one.")
        wait_until(lambda: status(pipeline, third) == "completed", "the third")
        assert ask(pipeline, running) == {"n": 1}
        go_on.set()
        wait_until(lambda: ask(pipeline, OVER) == {"jobs": 0}, "every job to end")


def test_its_failure_fails_no_document(
    pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Any:
        raise Retry("crash", "The reader crashed.")

    monkeypatch.setattr(embedding, "_embed_some", fail)
    document = put(pipeline, workspace, "A walrus.")
    with at_work(pipeline):
        failed = wait_until(
            lambda: ask(pipeline, "SELECT pool, failure_history FROM jobs WHERE failure_history <> '[]'"),
            "a failure",
        )
    assert failed["pool"] == "embed"
    assert "crashed" in str(failed["failure_history"])
    assert status(pipeline, document) == "completed"
    assert ask(pipeline, "SELECT reason, failures FROM documents") == {"reason": None, "failures": 0}


def test_without_a_model_there_is_nothing_to_do(
    pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docyard.pipeline.embedding_jobs.find_model", lambda: None)
    document = put(pipeline, workspace, "A walrus.")
    work_until_idle(pipeline, document)
    assert ask(pipeline, "SELECT count(*) AS n FROM job_history WHERE pool = 'embed'") == {"n": 0}


def test_without_pgvector_a_document_completes_and_a_waiting_job_ends(
    pipeline: Pipeline, workspace: UUID
) -> None:
    with pipeline.db.transaction() as conn:
        conn.execute("DROP TABLE chunk_embeddings")
    document = put(pipeline, workspace, "A walrus.")
    with pipeline.db.transaction() as conn:
        conn.execute(
            "INSERT INTO jobs (workspace_id, pool, tier, type, document_id) VALUES (%s, 'embed', 1, %s, %s)",
            (workspace, "embed_document", document),
        )
    work_until_idle(pipeline, document)
    assert ask(pipeline, "SELECT outcome FROM job_history WHERE pool = 'embed'") == {"outcome": "done"}


def test_a_new_model_embeds_everything_again_behind_the_rest(
    pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(upkeep, "DUTIES", ())
    document = put(pipeline, workspace, "A walrus.")
    work_until_idle(pipeline, document)
    assert chore(pipeline, workspace) is None, "there is nothing left to do"
    with chosen(make_model(tmp_path / "newer")) as newer:
        _embeds_again(pipeline, workspace, document, newer)


def _embeds_again(pipeline: Pipeline, workspace: UUID, document: UUID, newer: Model) -> None:
    assert chore(pipeline, workspace) == "1 documents queued to be embedded"
    assert chore(pipeline, workspace) is None, "it is queued once"
    assert ask(pipeline, "SELECT tier, document_id FROM jobs") == {"tier": 2, "document_id": document}
    work_until_idle(pipeline, document)
    with pipeline.db.transaction() as conn:
        number = embeddings.find_model(conn, newer.fingerprint)
    assert ask(pipeline, "SELECT array_agg(model) AS models FROM chunk_embeddings") == {"models": [number]}


def test_a_book_is_embedded_in_several_jobs(
    pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_MAX_SECONDS", 0.0)
    monkeypatch.setattr(embedding, "_BATCH_SIZE", 1)
    document = put(
        pipeline, workspace, "\n\n".join(f"Chapter {n}. " + "Walrus tusks. " * 80 for n in range(3))
    )
    work_until_idle(pipeline, document)
    jobs = ask(pipeline, "SELECT count(*) AS n FROM job_history WHERE pool = 'embed'")["n"]
    assert vectors(pipeline) >= 3
    assert jobs > vectors(pipeline)


def test_a_worker_that_is_asked_to_end_leaves_the_rest_of_a_book_to_others(
    pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C should not wait a minute for vectors."""
    monkeypatch.setattr(embedding, "_BATCH_SIZE", 1)
    put(pipeline, workspace, "\n\n".join(f"Chapter {n}. " + "Walrus tusks. " * 80 for n in range(3)))
    run_worker(pipeline, WorkerOptions(slots=1, single_run=True, resources=("cpu",)), Stopping())
    with pipeline.db.transaction() as conn:
        (lease,) = queue.claim(conn, "embed", hire(conn), 1)
    embedding.embed_document(replace(pipeline, stopping=lambda: True), lease, lambda: False)
    assert vectors(pipeline) == 1
    assert ask(pipeline, "SELECT state FROM jobs WHERE pool = 'embed'") == {"state": "pending"}
