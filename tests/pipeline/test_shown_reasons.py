"""The reason that is shown between the stages of a document: it tells what is missing now."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Retry
from docyard.model.jobs import Lease, NewJob
from docyard.model.stage_values import ExtractedText, OcrPage
from docyard.model.text.pages import OCR, SCAN, Page
from docyard.pipeline import step as steps
from docyard.store.documents import list_documents
from tests.pipeline.scan_runs import SCANNED, bring_to_ocr, claim, run_job
from tests.pipeline.stage_runs import (
    arrive,
    claim_document_job,
    fail,
    fail_permanently,
    load_document,
    run_stages,
    run_until,
)
from tests.queue.queue_workers import register_worker_committed
from tests.queue.sql_interface.sql_session import fetch_source_document

pytestmark = pytest.mark.usefixtures("quick_commits", "without_embedding")
LOST = Retry("worker_lost", "The worker stopped.")
Shown = tuple[str, str | None, str | None, bool]


def show(conn: Connection, document: UUID) -> Shown:
    """Return status, reason and category, and whether the reason is that of a failure that is retried."""
    found = load_document(conn, document)
    view = fetch_source_document(conn, document)
    assert (view["error_message"], view["error_category"]) == (found.reason, found.reason_category)
    return found.status, found.reason, found.reason_category, found.retried


def read_page(database: Database, lease: Lease, step: steps.Step, number: int) -> None:
    with database.transaction() as conn:
        assert steps.save_page(conn, lease, step, OcrPage(Page(number, "read", source=OCR)))


@pytest.fixture
def three_scans(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [Page(number, "", source=SCAN) for number in (1, 2, 3)]
    monkeypatch.setitem(SCANNED, "extract", ExtractedText((*pages, Page(4, "words"))))


@pytest.mark.usefixtures("three_scans")
def test_after_the_last_attempt_the_reason_names_the_pages_that_are_missing(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = register_worker_committed(database)
    document, lease, step = bring_to_ocr(database, workspace, worker)
    read_page(database, lease, step, 1)
    assert fail(database, lease, LOST)
    assert show(conn, document) == ("pending", "Pages 2–3 could not be read: The worker stopped.", "worker_lost", True)
    lease = claim(database, worker, "ocr")
    conn.execute("UPDATE jobs SET attempts = max_attempts")
    with database.transaction() as other:
        assert steps.begin(other, lease)
    read_page(database, lease, step, 2)
    assert fail(database, lease, LOST)
    left = "Page 3 could not be read: The worker stopped."
    assert show(conn, document) == ("pending", left, "worker_lost", False)
    lease = claim(database, worker, "classify")
    for _ in run_stages(database, lease):
        assert show(conn, document) == ("processing", left, "worker_lost", False)
    assert show(conn, document) == ("completed", left, "worker_lost", False)


@pytest.mark.usefixtures("three_scans")
def test_a_turn_that_ends_well_removes_the_reason_of_the_attempt_before(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    worker = register_worker_committed(database)
    document, lease, step = bring_to_ocr(database, workspace, worker)
    assert fail(database, lease, LOST)
    lease = claim(database, worker, "ocr")
    with database.transaction() as other:
        assert steps.begin(other, lease)
        assert steps.continue_in_new_job(other, lease, step, 60.0)
    assert show(conn, document) == ("pending", None, None, False)


def test_a_stage_that_succeeds_removes_the_reason_of_its_earlier_attempt(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document, worker = arrive(database, workspace), register_worker_committed(database)
    lease = claim_document_job(database, worker)
    run_until(database, lease, "extract")
    assert fail(database, lease, Retry("crash", "It crashed."))
    shown = {
        step.stage.name: show(conn, document) for step in run_stages(database, claim_document_job(database, worker))
    }
    assert shown.pop("extract") == ("processing", "It crashed.", "crash", False)
    assert set(shown.values()) == {("processing", None, None, False)}


def test_the_reason_of_a_failed_stage_stays_although_later_stages_succeed(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document, worker = arrive(database, workspace), register_worker_committed(database)
    fail_permanently(database, worker, "fields", Retry("crash", "It crashed."))
    lease = claim_document_job(database, worker)
    run_until(database, lease, "entities")
    assert show(conn, document) == ("processing", "It crashed.", "crash", False)
    assert fail(database, lease, Retry("timeout", "It is slow."))
    assert show(conn, document) == ("pending", "It is slow.", "timeout", True)
    shown = [show(conn, document) for _ in run_stages(database, claim_document_job(database, worker))]
    assert shown[0] == ("processing", "It is slow.", "timeout", False)
    assert set(shown[1:]) == {("processing", "It crashed.", "crash", False)}


def test_a_text_that_an_operator_has_set_stays(database: Database, conn: Connection, workspace: UUID) -> None:
    document, worker = arrive(database, workspace), register_worker_committed(database)
    conn.execute("UPDATE document_processing_queue SET error_message = 'Asked the author.'")
    for pool in ("fetch", "ocr"):
        run_job(database, claim(database, worker, pool))
        assert show(conn, document) == ("pending", "Asked the author.", None, False)


def test_only_the_job_of_a_pending_document_tells_when_it_is_retried(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document, worker = arrive(database, workspace), register_worker_committed(database)
    embedding = NewJob(workspace, "embed", "embed_document", document_id=document, delay_seconds=3000)
    with database.transaction() as other:
        queue.enqueue(other, [embedding])
    assert list_retry_times(conn, document) == {None}
    lease = claim(database, worker, "fetch")
    run_until(database, lease, "extract")
    assert fail(database, lease, Retry("crash", "It crashed."))
    (due,) = list_retry_times(conn, document)
    assert conn.execute("SELECT run_at FROM jobs WHERE type = 'document'").fetchall() == [{"run_at": due}]
    conn.execute("UPDATE document_processing_queue SET status = 'processing'")
    assert list_retry_times(conn, document) == {None}, "an outside processor holds it until the deadline"
    conn.execute("UPDATE document_processing_queue SET status = 'completed'")
    assert list_retry_times(conn, document) == {None}
    assert conn.execute("SELECT state FROM jobs").fetchall() == [{"state": "scheduled"}]


def list_retry_times(conn: Connection, document: UUID) -> set[datetime | None]:
    """Return the time of the retry as the page of the document and the list show it."""
    found = load_document(conn, document)
    (listed,) = list_documents(conn, found.workspace_id)
    return {found.retry_at, listed.retry_at}
