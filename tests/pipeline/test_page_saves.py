"""Scanned pages, each saved only under a valid lease and extending the deadline; reruns and retries of stages."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Reject, Retry
from docyard.model.stage_values import ExtractedText
from docyard.model.status import display_state
from docyard.model.text.pages import SCAN, Page
from docyard.pipeline import step as steps
from docyard.pipeline.reruns import retry_document
from docyard.pipeline.stage_order import make_stage_job
from docyard.stages import get_stage
from docyard.store.results import load_pages
from tests.pipeline.scan_runs import READ, SCANNED, bring_to_ocr, claim, run_job
from tests.pipeline.stage_runs import arrive, fail, fail_permanently, list_outcomes, load_document, load_rows
from tests.queue.queue_workers import register_worker_committed

pytestmark = pytest.mark.usefixtures("quick_commits", "without_embedding")


def test_saves_a_page_and_extends_the_deadline(database: Database, conn: Connection, workspace: UUID) -> None:
    document, lease, step = bring_to_ocr(database, workspace, register_worker_committed(database))
    assert step.scans == 1
    conn.execute("UPDATE jobs SET deadline_at = now() + interval '1 second'")
    with database.transaction() as other:
        assert steps.save_page(other, lease, step, READ)
        assert steps.save_page(other, lease, step, READ), "saving a page twice changes nothing"
    assert load_pages(conn, document) == (READ.page, Page(2, "words"))
    assert load_document(conn, document).notes == ("Half of it is missing.",)
    remaining = conn.execute("SELECT extract(epoch FROM deadline_at - now())::int AS s FROM jobs").fetchone()
    assert remaining is not None
    assert remaining["s"] > 600


@pytest.mark.parametrize("lost_by", ["returned", "cancelled"])
def test_refuses_a_page_after_the_lease_was_lost(
    database: Database, conn: Connection, workspace: UUID, lost_by: str
) -> None:
    worker = register_worker_committed(database)
    document, lease, step = bring_to_ocr(database, workspace, worker)
    if lost_by == "cancelled":
        queue.cancel_document(conn, document)
    else:
        queue.release_leases(conn, worker)
    before = load_rows(conn, document)
    with database.transaction() as late:
        assert not steps.save_page(late, lease, step, READ)
        assert not steps.continue_in_new_job(late, lease, step, 1.0)
    assert load_rows(conn, document) == before
    assert conn.execute("SELECT rejected FROM workers WHERE id = %s", (worker,)).fetchone() == {"rejected": 2}


@pytest.mark.parametrize("text", ["words", " \u2003\n"])
def test_losing_the_worker_during_ocr_keeps_the_text_of_other_pages(
    database: Database, conn: Connection, workspace: UUID, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setitem(SCANNED, "extract", ExtractedText((Page(1, "", source=SCAN), Page(2, text))))
    worker = register_worker_committed(database)
    document_id, lease, _ = bring_to_ocr(database, workspace, worker)
    conn.execute("UPDATE jobs SET attempts = max_attempts")
    assert fail(database, lease, Retry("worker_lost", "The worker stopped."))
    if text.strip():
        run_job(database, claim(database, worker, "classify"))
    document = load_document(conn, document_id)
    assert document.reason == "Page 1 could not be read: The worker stopped."
    assert display_state(document).name == ("incomplete" if text.strip() else "failed")
    assert len(queue.find_letters_of_document(conn, document_id)) == (0 if text.strip() else 1)
    assert bool(load_rows(conn, document_id)["chunks"]) == bool(text.strip())


def test_a_failure_during_ocr_does_not_read_the_texts_of_the_pages(
    database: Database, workspace: UUID, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A worker that is suspended in the middle of a large answer would keep its locks without a limit."""
    monkeypatch.setitem(SCANNED, "extract", ExtractedText((Page(1, "", source=SCAN), Page(2, "word " * 100_000))))
    _, lease, _ = bring_to_ocr(database, workspace, register_worker_committed(database))
    with (tmp_path / "trace").open("wb") as trace, database.transaction() as other:
        other.pgconn.trace(trace.fileno())
        assert steps.fail(other, lease, Retry("timeout", "Too slow."))
        other.pgconn.untrace()
    assert 0 < (tmp_path / "trace").stat().st_size < 50_000


def test_another_job_continues_an_unfinished_stage(database: Database, conn: Connection, workspace: UUID) -> None:
    worker = register_worker_committed(database)
    document, lease, step = bring_to_ocr(database, workspace, worker)
    with database.transaction() as other:
        assert steps.continue_in_new_job(other, lease, step, 5.0)
    assert load_document(conn, document).status == "pending"
    assert sql_status(conn) == ("pre_ocr_pending", "pre_ocr_pending")
    again = claim(database, worker, "ocr")
    assert (again.stage, again.attempts) == ("ocr", 1)
    assert again.arrived_at == lease.arrived_at
    assert "ocr" not in list_outcomes(conn, document)
    run_job(database, again)
    assert sql_status(conn) == ("ocr_complete_pending_doc_node", "ocr_complete")
    run_job(database, claim(database, worker, "classify"))
    assert load_document(conn, document).status == "completed"
    assert sql_status(conn) == ("completed", "ocr_complete")
    assert list_outcomes(conn, document) == dict.fromkeys(SCANNED, "done")


def sql_status(conn: Connection) -> tuple[str, str]:
    """Return status and OCR phase of the document, as other programs see them in SQL."""
    row = conn.execute(
        "SELECT initial_processing_status AS status, ocr_phase FROM source_documents"
        " JOIN document_processing_queue q ON q.source_document_uuid = document_uuid"
    ).fetchone()
    assert row is not None
    return row["status"], row["ocr_phase"]


def test_rerunning_a_stage_outdates_dependent_results(database: Database, conn: Connection, workspace: UUID) -> None:
    worker = register_worker_committed(database)
    document, lease, _ = bring_to_ocr(database, workspace, worker)
    run_job(database, lease)
    run_job(database, claim(database, worker, "classify"))
    conn.execute("DELETE FROM stage_results WHERE stage = 'ocr'")
    with database.transaction() as other:
        queue.enqueue(other, [make_stage_job(other, load_document(other, document), get_stage("ocr"))])
    run_job(database, claim(database, worker, "ocr"))
    assert set(list_outcomes(conn, document)) == {"fetch", "extract", "ocr"}
    run_job(database, claim(database, worker, "classify"))
    assert list_outcomes(conn, document) == dict.fromkeys(SCANNED, "done")


def test_retries_a_file_that_an_older_version_could_not_read(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document = arrive(database, workspace)
    fail_permanently(
        database, register_worker_committed(database), "extract", Reject("unsupported_file_type", "A picture.")
    )
    assert retry_document(conn, document) is None
    conn.execute("UPDATE stage_results SET version = 0 WHERE stage = 'extract'")
    assert retry_document(conn, document) is not None
    run_job(database, claim(database, register_worker_committed(database), "extract"))
    assert list_outcomes(conn, document)["extract"] == "done"
