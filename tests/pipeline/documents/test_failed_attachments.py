"""Attachments whose extraction failed: each shows the reason, and a retry of their document repeats it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import psycopg
import pytest

from docyard import queue
from docyard.db import Connection
from docyard.errors import Retry
from docyard.model.documents import ContainedFile, Document
from docyard.pipeline import step as steps
from docyard.pipeline.reruns import process_again, replay_dead_letters, retry_document
from docyard.pipeline.run import Pipeline
from docyard.store import attachments, documents
from docyard.worker import WorkerOptions, attachment_jobs, run_worker
from docyard.worker.recovery import recover
from docyard.worker.stop_request import StopRequest
from tests.builders.office.packages import make_zip
from tests.queue.queue_workers import register_worker_committed
from tests.worker.worker_runs import fetch_row, fetch_rows, run_all_attempts, run_until_idle, upload_bytes

CRASH = "The reader process crashed (signal SEGV)."


def crash(*_: object) -> Any:
    raise Retry("crash", CRASH)


def put(pipeline: Pipeline, workspace: UUID, *names: str) -> UUID:
    """Upload an archive with these files."""
    return upload_bytes(pipeline, workspace, make_zip({name: f"the text of {name}" for name in names}), "all.zip")


def fail_extraction(pipeline: Pipeline, workspace: UUID, *names: str) -> UUID:
    """Upload an archive whose files cannot be extracted, and run its jobs until none is left."""
    document = put(pipeline, workspace, *names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attachment_jobs, "_receive", crash)
        run_all_attempts(pipeline)
    return document


def load(pipeline: Pipeline, document: UUID) -> tuple[Document, list[ContainedFile]]:
    with pipeline.db.transaction() as conn:
        return documents.get_document(conn, document), attachments.list_attachments(conn, document)


def count_letters(pipeline: Pipeline) -> int:
    return int(fetch_row(pipeline, "SELECT count(*) AS letters FROM dead_letters")["letters"])


def retry_by_user(conn: Connection, document: UUID) -> None:
    assert retry_document(conn, document) is not None


def replay_by_operator(conn: Connection, _: UUID) -> None:
    assert replay_dead_letters(conn, queue.find_dead_letter_ids(conn))


@pytest.mark.parametrize("retry", [retry_by_user, replay_by_operator])
def test_a_failed_extraction_shows_its_reason_until_it_is_retried(
    pipeline: Pipeline, workspace: UUID, retry: Callable[[Connection, UUID], None]
) -> None:
    parent = fail_extraction(pipeline, workspace, "a.txt", "b.txt")
    document, found = load(pipeline, parent)
    assert document.status == "completed"
    assert [(each.reason, each.retryable) for each in found] == [(CRASH, True)] * 2
    with pipeline.db.transaction() as conn:
        retry(conn, parent)
    document, found = load(pipeline, parent)
    assert document.status == "completed", "only its attachments are retried"
    assert [(each.reason, each.retryable) for each in found] == [(None, False)] * 2
    run_until_idle(pipeline)
    _, found = load(pipeline, parent)
    assert [(each.status, each.reason, each.retryable) for each in found] == [("completed", None, False)] * 2
    assert count_letters(pipeline) == 0
    with pipeline.db.transaction() as conn:
        assert retry_document(conn, parent) is None


def test_a_document_without_text_retries_its_attachments(pipeline: Pipeline, workspace: UUID) -> None:
    parent = fail_extraction(pipeline, workspace, "a.txt")
    with pipeline.db.transaction() as conn:
        conn.execute("UPDATE documents SET reason_category = 'no_text', reason = 'No text was found.'")
        assert retry_document(conn, parent) is not None
    run_until_idle(pipeline)
    document, (child,) = load(pipeline, parent)
    assert (document.reason_category, child.status) == ("no_text", "completed")


def test_a_retry_repeats_all_failed_extractions(pipeline: Pipeline, workspace: UUID) -> None:
    """A list of dead letters ends after a hundred."""
    parent = fail_extraction(pipeline, workspace, "a.txt")
    with pipeline.db.transaction() as conn:
        copies = (
            "INSERT INTO dead_letters (id, workspace_id, pool, tier, priority, type, document_id, payload, attempts,"
            " max_attempts, replays, fence, failure_history, arrived_at, category, message, retryable)"
            " SELECT gen_random_uuid(), workspace_id, pool, tier, priority, type, document_id, payload, attempts,"
            " max_attempts, replays, fence, failure_history, arrived_at, category, message, retryable"
            " FROM dead_letters, generate_series(1, 120)"
        )
        conn.execute(copies)
        assert retry_document(conn, parent) is not None
    assert count_letters(pipeline) == 0


def lose_worker(conn: Connection) -> None:
    conn.execute("UPDATE workers SET heartbeat_at = '-infinity'")


def pass_deadline(conn: Connection) -> None:
    conn.execute("UPDATE jobs SET deadline_at = '-infinity'")


@pytest.mark.parametrize(("lose", "reason"), [(lose_worker, "lost contact"), (pass_deadline, "before its deadline")])
def test_losing_the_worker_in_the_last_attempt_is_the_reason(
    pipeline: Pipeline, workspace: UUID, lose: Callable[[Connection], None], reason: str
) -> None:
    parent = lose_last_attempt(pipeline, workspace, lose)
    assert take_over(pipeline) == 1
    _, (child,) = load(pipeline, parent)
    assert reason in str(child.reason)
    assert child.retryable


def test_a_job_that_cannot_be_settled_by_the_reaper_leaves_its_reason(
    pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bool:
        raise psycopg.DataError("out of range")

    parent = lose_last_attempt(pipeline, workspace, lose_worker)
    monkeypatch.setattr(steps, "fail", fail)
    assert take_over(pipeline) == 1
    _, (child,) = load(pipeline, parent)
    assert (child.reason, child.retryable) == ("The failed job could not be settled: out of range", True)


def lose_last_attempt(pipeline: Pipeline, workspace: UUID, lose: Callable[[Connection], None]) -> UUID:
    """Upload an archive and lose the worker that extracts its file in the last attempt."""
    parent = put(pipeline, workspace, "a.txt")
    run_worker(pipeline, WorkerOptions(slots=1, single_run=True, stages=("fetch",)), StopRequest())
    worker = register_worker_committed(pipeline.db)
    with pipeline.db.transaction() as conn:
        conn.execute("UPDATE jobs SET attempts = max_attempts - 1 WHERE type = 'receive_child'")
        (lease,) = queue.claim(conn, "receive_child", worker, 1)
        assert lease.last_attempt
        conn.execute("DELETE FROM jobs WHERE type <> 'receive_child'")
        lose(conn)
    return parent


def take_over(pipeline: Pipeline) -> int:
    reaper = register_worker_committed(pipeline.db)
    return recover(pipeline.db, lambda conn: queue.reap(conn, reaper))


def test_an_extraction_that_will_be_retried_has_no_reason(
    pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attachment_jobs, "_receive", crash)
    parent = put(pipeline, workspace, "a.txt")
    run_worker(pipeline, WorkerOptions(slots=1, single_run=True, stages=("fetch",)), StopRequest())
    run_worker(pipeline, WorkerOptions(slots=1, single_run=True, stages=("receive_child",)), StopRequest())
    waiting = "SELECT state, attempts FROM jobs WHERE type = 'receive_child'"
    assert fetch_rows(pipeline, waiting) == [{"state": "scheduled", "attempts": 1}]
    _, (child,) = load(pipeline, parent)
    assert (child.reason, child.retryable) == (None, False)


def test_processing_the_document_again_replaces_the_dead_letters(pipeline: Pipeline, workspace: UUID) -> None:
    parent = fail_extraction(pipeline, workspace, "a.txt", "b.txt")
    with pipeline.db.transaction() as conn:
        process_again(conn, parent)
    run_until_idle(pipeline)
    _, found = load(pipeline, parent)
    assert [(each.status, each.reason) for each in found] == [("completed", None)] * 2
    assert count_letters(pipeline) == 0
