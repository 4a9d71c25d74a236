"""Extraction jobs, which other programs insert by SQL; they end when their documents are processed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg.types.json import Jsonb

from docyard import queue
from docyard.db import Connection
from docyard.errors import Retry
from docyard.intake import Arrival, receive
from docyard.pipeline import extraction_jobs
from docyard.pipeline.cancellation import delete_document
from docyard.pipeline.run import Pipeline
from docyard.queue import monitor
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.duties import parents
from docyard.worker.stop_request import StopRequest
from tests.pipeline.stage_runs import (
    STAGES_AFTER_EXTRACT,
    arrive,
    claim_document_job,
    fail,
    finish,
    run_stages,
    run_until,
)
from tests.queue.queue_workers import register_worker, register_worker_committed
from tests.worker.duties.duty_runs import do

TYPES = ("email_embedding", "attachment_ingestion", "document_ocr")
STAGES_FROM_EXTRACT = sorted(["extract", *STAGES_AFTER_EXTRACT])


@pytest.fixture
def conn(pipeline: Pipeline) -> Iterator[Connection]:
    """A connection in autocommit mode, as other programs use it."""
    with pipeline.db.connect() as connection:
        yield connection


def _receive(pipeline: Pipeline, workspace: UUID, text: str, work_order: str | None = None) -> UUID:
    arrival = Arrival(workspace, f"{text[:20]}.txt", "upload")
    document = receive(pipeline.db, pipeline.blobs, pipeline.limits, arrival, [text.encode()]).document_id
    if work_order:
        with pipeline.db.transaction() as conn:
            conn.execute(
                "UPDATE documents SET entity_type = 'work_order', entity_id = %s WHERE id = %s", (work_order, document)
            )
    return document


def _insert(
    conn: Connection, workspace: UUID, job_type: str, payload: object = None, entity: str | None = None
) -> UUID:
    row = conn.execute(
        "INSERT INTO extraction_jobs (yacht_id, job_type, payload, entity_type, entity_id)"
        " VALUES (%s, %s, %s, %s, %s) RETURNING id",
        (workspace, job_type, Jsonb(payload or {}), "work_order" if entity else None, entity),
    ).fetchone()
    assert row
    return UUID(str(row["id"]))


def _work(pipeline: Pipeline, rounds: int = 6) -> None:
    """Run a worker until no job is left, at most `rounds` times; make scheduled jobs due after each run."""
    for _ in range(rounds):
        _run_worker(pipeline)
        with pipeline.db.transaction() as conn:
            conn.execute("UPDATE jobs SET run_at = now() WHERE state = 'scheduled'")
            if conn.execute("SELECT FROM jobs WHERE state <> 'running'").fetchone() is None:
                return


def _run_worker(pipeline: Pipeline) -> None:
    run_worker(pipeline, WorkerOptions(slots=2, single_run=True), StopRequest())


def _postpone(conn: Connection) -> None:
    """Postpone all document jobs by an hour."""
    conn.execute("UPDATE jobs SET state = 'scheduled', run_at = now() + interval '1 hour' WHERE type = 'document'")


def _resume(conn: Connection, workspace: UUID) -> None:
    conn.execute(
        "UPDATE jobs SET state = 'pending', run_at = NULL WHERE type = 'document' AND workspace_id = %s", (workspace,)
    )


def _load_job(conn: Connection, job_id: UUID) -> dict[str, Any]:
    return conn.execute("SELECT * FROM extraction_jobs WHERE id = %s", (job_id,)).fetchone() or {}


def _load_document(conn: Connection, document_id: UUID) -> dict[str, Any]:
    return conn.execute("SELECT * FROM documents WHERE id = %s", (document_id,)).fetchone() or {}


def _load_stage_jobs(conn: Connection, document_id: UUID) -> dict[str, object]:
    """Return the job that ran each stage of a document, by stage."""
    rows = conn.execute("SELECT stage, job_id FROM stage_results WHERE document_id = %s", (document_id,))
    return {row["stage"]: row["job_id"] for row in rows}


@pytest.mark.parametrize("name", ["document_id", "source_document_uuid"])
@pytest.mark.parametrize("job_type", TYPES)
def test_a_job_completes_with_its_document(
    pipeline: Pipeline, conn: Connection, workspace: UUID, job_type: str, name: str
) -> None:
    document = _receive(pipeline, workspace, "The anchor winch.")
    job = _insert(conn, workspace, job_type, {name: str(document)})
    _work(pipeline)
    ended, read = _load_job(conn, job), _load_document(conn, document)
    assert (ended["status"], ended["error"], read["status"]) == ("completed", None, "completed")
    assert ended["completed_at"] >= read["completed_at"], "not before its document was completed"
    workers = {str(row["id"]) for row in conn.execute("SELECT id FROM workers")}
    assert ended["completed_by"] in workers
    assert len(set(_load_stage_jobs(conn, document).values())) == 1, "one job ran all stages"


def test_waits_for_all_documents_attached_to_the_entity(
    pipeline: Pipeline, conn: Connection, workspace: UUID, other_workspace: UUID
) -> None:
    ours = [_receive(pipeline, workspace, f"Photo {n} of the leak.", "WO-17") for n in range(3)]
    theirs = _receive(pipeline, other_workspace, "Theirs.", "WO-17")
    _postpone(conn)
    job = _insert(conn, workspace, "attachment_ingestion", {"attachment_id": "a-1"}, entity="WO-17")
    _run_worker(pipeline)
    row = conn.execute("SELECT state, children_left FROM jobs WHERE id = %s", (job,)).fetchone()
    assert row == {"state": "waiting", "children_left": 3}
    assert _load_job(conn, job)["status"] == "processing"
    _resume(conn, workspace)
    for _ in range(4):
        _run_worker(pipeline)
    assert _load_job(conn, job)["status"] == "completed"
    assert [_load_document(conn, document)["status"] for document in ours] == ["completed"] * 3
    assert _load_document(conn, theirs)["status"] == "pending", (
        "an entity with this id in another workspace is another entity"
    )


def test_document_ocr_repeats_extraction_and_later_stages(
    pipeline: Pipeline, conn: Connection, workspace: UUID
) -> None:
    document = _receive(pipeline, workspace, "Read twice.")
    _work(pipeline)
    first = _load_stage_jobs(conn, document)
    conn.execute("UPDATE pages SET text = 'Misread.' WHERE document_id = %s", (document,))
    job = _insert(conn, workspace, "document_ocr", {"document_id": str(document)})
    _work(pipeline)
    again = _load_stage_jobs(conn, document)
    assert _load_job(conn, job)["status"] == "completed"
    assert sorted(stage for stage in again if again[stage] != first[stage]) == STAGES_FROM_EXTRACT
    assert conn.execute("SELECT text FROM pages WHERE document_id = %s", (document,)).fetchone() == {
        "text": "Read twice."
    }
    assert _load_document(conn, document)["status"] == "completed"


def test_document_ocr_keeps_the_text_if_the_file_is_missing(
    pipeline: Pipeline, conn: Connection, workspace: UUID
) -> None:
    document = _receive(pipeline, workspace, "Read once.")
    _work(pipeline)
    first = _load_stage_jobs(conn, document)
    with pipeline.blobs.open_path(_load_document(conn, document)["blob_key"]) as path:
        path.unlink()
    job = _insert(conn, workspace, "document_ocr", {"document_id": str(document)})
    _work(pipeline)
    failed = _load_job(conn, job)
    assert (failed["status"], "is missing" in failed["error"]) == ("failed", True)
    assert _load_stage_jobs(conn, document) == first
    assert _load_document(conn, document)["status"] == "completed"


@pytest.mark.parametrize("job_type", ["email_embedding", "attachment_ingestion"])
def test_does_not_process_a_completed_document_again(
    pipeline: Pipeline, conn: Connection, workspace: UUID, job_type: str
) -> None:
    document = _receive(pipeline, workspace, "Done already.")
    _work(pipeline)
    before = _load_stage_jobs(conn, document)
    job = _insert(conn, workspace, job_type, {"document_id": str(document)})
    _work(pipeline)
    assert _load_job(conn, job)["status"] == "completed"
    assert _load_stage_jobs(conn, document) == before


def test_adopts_a_running_document_job(pipeline: Pipeline, conn: Connection, workspace: UUID) -> None:
    document = arrive(pipeline.db, workspace)
    document_job = claim_document_job(pipeline.db, register_worker_committed(pipeline.db))
    stages = run_stages(pipeline.db, document_job)
    stages_run = []
    for step in stages:
        stages_run.append(step.stage.name)
        if step.stage.name == "chunk":
            break
    job = _insert(conn, workspace, "document_ocr", {"document_id": str(document)})
    _run_worker(pipeline)
    live = conn.execute("SELECT id, parent_id, state FROM jobs WHERE type = 'document'").fetchall()
    assert live == [{"id": document_job.job_id, "parent_id": job, "state": "running"}]
    assert _load_job(conn, job)["status"] == "processing"
    stages_run += [step.stage.name for step in stages]
    # The running stage `chunk` used the old text, so it runs again.
    assert stages_run == ["fetch", "extract", "classify", "chunk", "extract", *STAGES_AFTER_EXTRACT]
    assert sorted(_load_stage_jobs(conn, document)) == sorted([*STAGES_FROM_EXTRACT, "fetch"])
    _work(pipeline)
    assert (_load_job(conn, job)["status"], _load_document(conn, document)["status"]) == ("completed", "completed")


def test_retries_a_document_with_a_retryable_failure(pipeline: Pipeline, conn: Connection, workspace: UUID) -> None:
    document = _receive(pipeline, workspace, "Fails at first.")
    conn.execute("UPDATE source_documents SET initial_processing_status = 'error_scanner'")
    job = _insert(conn, workspace, "attachment_ingestion", {"document_id": str(document)})
    _work(pipeline)
    assert (_load_job(conn, job)["status"], _load_document(conn, document)["status"]) == ("completed", "completed")
    assert queue.find_dead_letters(conn) == []


def test_the_error_names_documents_that_cannot_be_read(pipeline: Pipeline, conn: Connection, workspace: UUID) -> None:
    _receive(pipeline, workspace, "A good one.", "WO-9")
    _receive(pipeline, workspace, "", "WO-9")
    job = _insert(conn, workspace, "attachment_ingestion", entity="WO-9")
    _work(pipeline)
    ended = _load_job(conn, job)
    assert ended["status"] == "completed"
    assert ended["error"] == ("1 of 2 documents were not processed to the end: txt: The file is empty.")
    history = conn.execute("SELECT outcome FROM job_history WHERE id = %s", (job,)).fetchone()
    assert history == {"outcome": "degraded"}


@pytest.mark.parametrize(
    ("payload", "entity", "message"),
    [
        ({}, None, "The job has no document"),
        ({"attachment_id": "a-1"}, None, "The job has no document"),
        ({}, "WO-404", "No document is attached to work_order WO-404."),
        ({"document_id": "nonsense"}, "WO-1", "document_id is not the id of a document: 'nonsense'."),
        ({"document_id": 17}, None, "document_id is not the id of a document: '17'."),
        ({"document_id": {"a": [1]}}, None, "is not the id of a document"),
        ({"document_id": ""}, None, "is not the id of a document"),
        ({"source_document_uuid": str(UUID(int=0))}, None, f"There is no document {UUID(int=0)} in this"),
        ({"document_id": "x" * 5000}, None, "is not the id of a document"),
    ],
    ids=str,
)
@pytest.mark.parametrize("job_type", TYPES)
def test_an_invalid_job_becomes_a_dead_letter_with_a_reason(
    pipeline: Pipeline,
    conn: Connection,
    workspace: UUID,
    job_type: str,
    payload: dict[str, object],
    entity: str | None,
    message: str,
) -> None:
    _receive(pipeline, workspace, "A bystander.", "WO-1")
    job = _insert(conn, workspace, job_type, payload, entity)
    _work(pipeline)
    ended = _load_job(conn, job)
    assert (ended["status"], ended["attempts"]) == ("failed", 1)
    assert message in ended["error"]
    assert [letter.category for letter in queue.find_dead_letters(conn)] == ["not_found"]
    assert conn.execute("SELECT status FROM documents").fetchone() == {"status": "completed"}


def test_rejects_a_document_of_another_workspace(
    pipeline: Pipeline, conn: Connection, workspace: UUID, other_workspace: UUID
) -> None:
    theirs = _receive(pipeline, other_workspace, "Theirs.")
    _work(pipeline)
    before = _load_stage_jobs(conn, theirs)
    job = _insert(conn, workspace, "document_ocr", {"document_id": str(theirs)})
    _work(pipeline)
    assert f"There is no document {theirs}" in _load_job(conn, job)["error"]
    assert _load_stage_jobs(conn, theirs) == before


def test_two_jobs_wait_for_one_document(pipeline: Pipeline, conn: Connection, workspace: UUID) -> None:
    document = arrive(pipeline.db, workspace)
    document_job = claim_document_job(pipeline.db, register_worker_committed(pipeline.db))
    jobs = [_insert(conn, workspace, "attachment_ingestion", {"document_id": str(document)}) for _ in range(2)]
    for _ in range(3):
        _run_worker(pipeline)
        rows = conn.execute("SELECT state, attempts FROM jobs WHERE id = ANY (%s) ORDER BY state", (jobs,))
        # One job has adopted the document job; the other checks again later, not in every round.
        assert rows.fetchall() == [{"state": "scheduled", "attempts": 0}, {"state": "waiting", "attempts": 0}]
    for _ in run_stages(pipeline.db, document_job):
        pass
    _work(pipeline)
    assert [_load_job(conn, job)["status"] for job in jobs] == ["completed"] * 2
    assert conn.execute("SELECT count(*) AS n FROM job_history WHERE type = 'document'").fetchone() == {"n": 1}


def test_a_deleted_document_ends_the_job_with_a_reason(pipeline: Pipeline, conn: Connection, workspace: UUID) -> None:
    document = arrive(pipeline.db, workspace)
    claim_document_job(pipeline.db, register_worker_committed(pipeline.db))
    job = _insert(conn, workspace, "attachment_ingestion", {"document_id": str(document)})
    _run_worker(pipeline)
    with pipeline.db.transaction() as deleting:
        delete_document(deleting, document)
    _work(pipeline)
    ended = _load_job(conn, job)
    assert (ended["status"], ended["error"]) == ("completed", "1 of 1 documents were not processed to the end.")


def test_a_job_that_waited_too_long_is_retried(pipeline: Pipeline, conn: Connection, workspace: UUID) -> None:
    document = arrive(pipeline.db, workspace)
    document_job = claim_document_job(pipeline.db, register_worker_committed(pipeline.db))
    job = _insert(conn, workspace, "document_ocr", {"document_id": str(document)})
    _run_worker(pipeline)
    conn.execute("UPDATE jobs SET run_at = now() WHERE id = %s AND state = 'waiting'", (job,))
    do(pipeline, parents.DUTY, register_worker_committed(pipeline.db))
    conn.execute("UPDATE jobs SET run_at = now() WHERE id = %s AND state = 'scheduled'", (job,))
    _run_worker(pipeline)
    row = conn.execute("SELECT state, attempts, children_left FROM jobs WHERE id = %s", (job,)).fetchone()
    assert row == {"state": "waiting", "attempts": 1, "children_left": 1}, "waiting too long used up one attempt"
    for _ in run_stages(pipeline.db, document_job):
        pass
    _work(pipeline)
    assert _load_job(conn, job)["status"] == "completed"


def test_waits_for_the_next_job_of_a_degraded_document(pipeline: Pipeline, conn: Connection, workspace: UUID) -> None:
    """A degraded stage ends its job, and the next stages run in another job."""
    document = arrive(pipeline.db, workspace)
    _postpone(conn)
    conn.execute("UPDATE jobs SET max_attempts = 1")
    job = _insert(conn, workspace, "attachment_ingestion", {"document_id": str(document)})
    _run_worker(pipeline)
    worker = register_worker_committed(pipeline.db)
    lease = claim_document_job(pipeline.db, worker)
    run_until(pipeline.db, lease, "classify")
    assert fail(pipeline.db, lease, Retry("crash", "The reader crashed."))
    _postpone(conn)
    _run_worker(pipeline)
    assert _load_job(conn, job)["status"] == "processing"
    _resume(conn, workspace)
    finish(pipeline.db, worker)
    _run_worker(pipeline)
    assert (_load_job(conn, job)["status"], _load_document(conn, document)["status"]) == ("completed", "completed")


@pytest.mark.parametrize("completed", [True, False], ids=["completed", "running"])
def test_a_worker_that_lost_the_job_changes_nothing(
    pipeline: Pipeline, conn: Connection, workspace: UUID, completed: bool
) -> None:
    document = _receive(pipeline, workspace, "Lost.")
    worker = register_worker(conn)
    if completed:
        finish(pipeline.db, worker)
    job = _insert(conn, workspace, "document_ocr", {"document_id": str(document)})
    (lease,) = [lease for lease in queue.claim(conn, "fetch", worker, 2) if lease.job_id == job]
    conn.execute("UPDATE jobs SET fence = fence + 1 WHERE id = %s", (job,))
    before = (_load_stage_jobs(conn, document), _load_document(conn, document), monitor.count_backlog(conn).states)
    extraction_jobs.repeat_extraction(pipeline, lease, lambda: False)
    assert (
        _load_stage_jobs(conn, document),
        _load_document(conn, document),
        monitor.count_backlog(conn).states,
    ) == before
    assert conn.execute("SELECT rejected FROM workers WHERE id = %s", (worker,)).fetchone() == {"rejected": 1}


def test_the_column_takes_precedence_over_the_payload(pipeline: Pipeline, conn: Connection, workspace: UUID) -> None:
    document = _receive(pipeline, workspace, "Ours.")
    conn.execute(
        "INSERT INTO jobs (workspace_id, pool, tier, type, document_id, payload)"
        " VALUES (%s, 'extract', 1, 'document_ocr', %s, %s)",
        (workspace, document, Jsonb({"document_id": str(uuid4())})),
    )
    _work(pipeline)
    rows = conn.execute("SELECT type, outcome FROM job_history WHERE pool <> 'embed' ORDER BY type").fetchall()
    assert rows == [{"type": "document", "outcome": "done"}, {"type": "document_ocr", "outcome": "done"}]
