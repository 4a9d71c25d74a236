"""Documents whose next stage waits in the queue: they are pending, and only an attempt can take a long time."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.failures import LOCKED
from docyard.model.jobs import NewJob, Snooze
from docyard.model.status import display_state
from docyard.pipeline import step as steps
from docyard.pipeline.run import Pipeline
from docyard.queue import monitor
from docyard.worker.leases import Leases, put_back
from tests.pipeline.scan_runs import bring_to_ocr, claim, run_job
from tests.pipeline.stage_runs import arrive, claim_document_job, load_document, run_until
from tests.queue.queue_workers import register_worker_committed
from tests.queue.sql_interface.sql_session import (
    fetch_queue_entry,
    get_source_status,
    move_into_past,
    set_queue_status,
)

pytestmark = pytest.mark.usefixtures("quick_commits", "without_embedding")


def list_words(conn: Connection, document: UUID) -> tuple[str, str, str, str]:
    """Return the status in the table, on pages, and in both SQL views."""
    found = load_document(conn, document)
    (counted,) = (status for status, count in monitor.count_documents(conn).items() if count)
    assert counted == found.status
    queued = fetch_queue_entry(conn, document)["status"]
    return found.status, display_state(found).name, queued, get_source_status(conn, document)


def test_a_document_is_pending_while_its_next_stage_waits(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document, worker = arrive(database, workspace), register_worker_committed(database)
    run_job(database, claim(database, worker, "fetch"))
    waiting = ("pending", "waiting", "pending", "pre_ocr_pending")
    assert list_words(conn, document) == waiting
    assert load_document(conn, document).stage == "ocr"
    move_into_past(conn, document, "11 minutes")
    assert list_words(conn, document) == waiting
    lease = claim(database, worker, "ocr")
    with database.transaction() as other:
        step = steps.begin(other, lease)
    assert step is not None
    assert list_words(conn, document) == ("processing", "processing", "processing", "pre_ocr_processing")
    with database.transaction() as other:
        assert steps.continue_in_new_job(other, lease, step, 5.0)
    assert list_words(conn, document) == waiting, "a turn has ended"
    run_job(database, claim(database, worker, "ocr"))
    assert list_words(conn, document) == ("pending", "waiting", "pending", "ocr_complete_pending_doc_node")
    run_job(database, claim(database, worker, "classify"))
    assert load_document(conn, document).status == "completed"


def test_the_phase_of_ocr_is_kept_while_the_next_stage_waits(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document, worker = arrive(database, workspace), register_worker_committed(database)
    conn.execute("UPDATE documents SET pre_ocr = true")
    seen = []
    for pool in ("fetch", "ocr", "classify"):
        seen.append(list_words(conn, document)[2:])
        run_job(database, claim(database, worker, pool))
    read = ("ocr_complete", "ocr_complete_pending_doc_node")
    assert seen == [("pre_ocr_pending", "pre_ocr_pending")] * 2 + [read]
    assert fetch_queue_entry(conn, document)["status"] == "completed"


def test_only_a_running_attempt_takes_a_long_time(database: Database, conn: Connection, workspace: UUID) -> None:
    """While another transaction has locked a document, its status cannot change, but its job is put back."""
    document, worker = arrive(database, workspace), register_worker_committed(database)
    lease = claim_document_job(database, worker)
    run_until(database, lease, "extract")
    move_into_past(conn, document, "11 minutes")
    assert display_state(load_document(conn, document)).name == "stale"
    with database.transaction() as other:
        queue.settle(other, [Snooze(lease, 9.0, LOCKED, "Locked.")])
    assert display_state(load_document(conn, document)).name == "processing"
    assert set_queue_status(conn, document, "processing") == 1
    assert display_state(load_document(conn, document)).name == "processing"
    move_into_past(conn, document, "11 minutes")
    assert display_state(load_document(conn, document)).name == "stale", "an outside processor has held it for long"


def test_a_document_whose_job_is_put_back_is_pending(database: Database, conn: Connection, workspace: UUID) -> None:
    worker = register_worker_committed(database)
    document, lease, _ = bring_to_ocr(database, workspace, worker)
    put_back(database, lease)
    assert list_words(conn, document) == ("pending", "waiting", "pending", "pre_ocr_pending")


@pytest.mark.parametrize("how", ["put back", "returned"])
def test_another_job_that_is_returned_does_not_change_the_document(
    pipeline: Pipeline, conn: Connection, workspace: UUID, how: str
) -> None:
    worker = register_worker_committed(pipeline.db)
    document, lease, _ = bring_to_ocr(pipeline.db, workspace, worker)
    with pipeline.db.transaction() as other:
        queue.enqueue(other, [NewJob(workspace, "embed", "embed_document", document_id=document)])
    embedding = claim(pipeline.db, register_worker_committed(pipeline.db), "embed")
    if how == "put back":
        put_back(pipeline.db, embedding)
    else:
        Leases(pipeline, embedding.worker_id).return_all()
    assert load_document(conn, document).status == "processing"
    assert queue.lock_lease(conn, embedding) is None
    assert queue.lock_lease(conn, lease) is not None
