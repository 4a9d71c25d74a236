"""A job whose lease was lost is aborted promptly, and the worker continues with other jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

import psutil
import pytest

from docyard import queue
from docyard.db import Connection
from docyard.intake import Arrival, receive
from docyard.pipeline.cancellation import delete_document
from docyard.pipeline.reruns import retry_document
from docyard.pipeline.run import Pipeline
from docyard.worker.leases import Leases
from tests.builders.pdf.pdfs import make_text_pdf
from tests.queue.queue_workers import register_worker_committed
from tests.queue.sql_interface.sql_session import set_queue_status
from tests.worker.worker_runs import OPTIONS, fetch_row, run_in_thread, wait_until

LINES = [f"Line {number} of a long report." for number in range(60)]
LONG_PDF = make_text_pdf(*([f"Page {page}", *LINES] for page in range(400)))


def _add(pipeline: Pipeline, workspace: UUID, name: str, data: bytes) -> UUID:
    arrival = Arrival(workspace, name, "upload")
    return receive(pipeline.db, pipeline.blobs, pipeline.limits, arrival, [data]).document_id


def _suspend_child(pipeline: Pipeline, document: UUID) -> psutil.Process:
    """Suspend the child process that extracts the document, so that it cannot end on its own; return it."""

    def find_child() -> psutil.Process | None:
        row = fetch_row(pipeline, "SELECT stage FROM documents WHERE id = %s AND status = 'processing'", document)
        calls = [call for call in pipeline.children._calls if call.child]
        if row != {"stage": "extract"} or not calls or calls[0].child is None:
            return None
        return psutil.Process(calls[0].child.process.pid)

    child: psutil.Process = wait_until(find_child, "the extraction")
    child.suspend()
    return child


def _cancel(conn: Connection, document: UUID) -> None:
    assert set_queue_status(conn, document, "cancelled") == 1


def _complete_by_sql(conn: Connection, document: UUID) -> None:
    assert set_queue_status(conn, document, "completed") == 1


@pytest.mark.parametrize("end_document", [_cancel, delete_document, _complete_by_sql])
def test_ending_a_document_frees_its_slot_and_discards_results(
    pipeline: Pipeline, workspace: UUID, end_document: Callable[[Connection, UUID], None]
) -> None:
    # With these limits, the suspended child ends only because its job is lost.
    pipeline = replace(pipeline, limits=replace(pipeline.limits, stage_seconds=600.0, upload_bytes=10**9))
    long = _add(pipeline, workspace, "long.pdf", LONG_PDF)
    with run_in_thread(pipeline):
        child = _suspend_child(pipeline, long)
        with pipeline.db.transaction() as conn:
            end_document(conn, long)
        before = _load_state(pipeline, long)
        quick = _add(pipeline, workspace, "quick.txt", b"Waits for the only slot.")
        wait_until(lambda: not child.is_running(), "the child to end")
        wait_until(lambda: _status(pipeline, quick) == "completed", "the other document")
    assert _load_state(pipeline, long) == before
    assert fetch_row(pipeline, "SELECT count(*) AS n FROM workers") == {"n": 1}, "the worker never lost its lease"
    assert fetch_row(pipeline, "SELECT rejected, state FROM workers") == {"rejected": 1, "state": "stopped"}


@pytest.mark.parametrize("slots", [1, 2])
def test_a_retry_of_a_stale_document_ends_the_stalled_call(pipeline: Pipeline, workspace: UUID, slots: int) -> None:
    """With two slots, the worker gets the job again while it still runs the stalled call."""
    pipeline = replace(pipeline, limits=replace(pipeline.limits, stage_seconds=600.0, upload_bytes=10**9))
    long = _add(pipeline, workspace, "long.pdf", LONG_PDF)
    with run_in_thread(pipeline, replace(OPTIONS, slots=slots)):
        child = _suspend_child(pipeline, long)
        with pipeline.db.transaction() as conn:
            conn.execute("UPDATE documents SET attempt_started_at = now() - interval '11 minutes'")
            assert retry_document(conn, long) is not None
        wait_until(lambda: not child.is_running(), "the child to end")
        wait_until(lambda: _status(pipeline, long) == "completed", "the document")
    assert fetch_row(pipeline, "SELECT count(*) AS n FROM pages WHERE document_id = %s", long) == {"n": 400}
    assert fetch_row(pipeline, "SELECT rejected, state FROM workers") == {"rejected": 1, "state": "stopped"}


def _status(pipeline: Pipeline, document: UUID) -> object:
    return fetch_row(pipeline, "SELECT status FROM documents WHERE id = %s", document)["status"]


def _load_state(pipeline: Pipeline, document: UUID) -> list[dict[str, object]]:
    queries = (
        "SELECT status, reason, completed_at, updated_at FROM documents WHERE id = %s",
        "SELECT array_agg(stage) AS stages FROM stage_results WHERE document_id = %s",
        "SELECT array_agg(outcome) AS outcomes FROM job_history WHERE document_id = %s",
        "SELECT count(*) AS letters FROM dead_letters WHERE document_id = %s",
    )
    return [fetch_row(pipeline, query, document) for query in queries]


def test_returning_the_embedding_job_of_a_completed_document_leaves_it_completed(
    pipeline: Pipeline, conn: Connection, workspace: UUID
) -> None:
    document = _add(pipeline, workspace, "note.txt", b"Done.")
    conn.execute("DELETE FROM jobs")
    conn.execute("UPDATE documents SET status = 'completed', completed_at = now()")
    conn.execute(
        "INSERT INTO jobs (workspace_id, pool, tier, type, document_id) VALUES (%s, 'embed', 1, 'embed_document', %s)",
        (workspace, document),
    )
    worker = register_worker_committed(pipeline.db)
    assert len(queue.claim(conn, "embed", worker, 1)) == 1
    Leases(pipeline, worker).return_all()
    assert fetch_row(pipeline, "SELECT state FROM jobs") == {"state": "pending"}
    assert _status(pipeline, document) == "completed"
