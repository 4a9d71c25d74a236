"""Tests of reset_failed_documents_for_retry() and update_queue_status_with_history()."""

from __future__ import annotations

from uuid import UUID

import psycopg
import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Retry
from tests.pipeline.stage_runs import arrive, claim_document_job, fail, finish, load_rows, run_until
from tests.queue.queue_workers import register_worker_committed
from tests.queue.sql_interface.sql_session import (
    fetch_one,
    fetch_queue_entry,
    list_job_outcomes,
    make_dead,
    make_running,
    make_scheduled,
    move_into_past,
)


def reset(conn: Connection, arguments: str = "") -> int:
    row = fetch_one(conn, f"SELECT reset_failed_documents_for_retry({arguments}) AS n")
    return int(row["n"])


def report(conn: Connection, document_id: UUID, *arguments: str | None) -> None:
    """Report an outcome with update_queue_status_with_history()."""
    marks = ", ".join(["%s"] * len(arguments))
    conn.execute(
        f"SELECT update_queue_status_with_history(%s, {marks})".encode(),
        (fetch_queue_entry(conn, document_id)["id"], *arguments),
    )


def test_only_failures_older_than_the_cool_down_are_reset(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = make_scheduled(database, workspace)
    assert reset(conn) == 0
    assert fetch_queue_entry(conn, document_id)["status"] == "failed"
    move_into_past(conn, document_id, "4 minutes 50 seconds")
    assert reset(conn) == 0
    assert reset(conn, "'1 hour'") == 0
    move_into_past(conn, document_id, "20 seconds")
    assert reset(conn) == 1
    assert fetch_queue_entry(conn, document_id)["status"] == "pending"
    assert reset(conn) == 0


def test_the_cool_down_is_configurable(database: Database, conn: Connection, workspace: UUID) -> None:
    make_scheduled(database, workspace)
    assert reset(conn, "'0'") == 1


def test_each_reset_is_recorded_on_the_document(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = make_scheduled(database, workspace)
    first = fetch_queue_entry(conn, document_id)["processor_id"]
    assert reset(conn, "'0'") == 1
    second = register_worker_committed(database)
    lease = claim_document_job(database, second)
    run_until(database, lease, "extract")
    fail(database, lease, Retry("network", "Again."))
    assert reset(conn, "'0'") == 1
    finish(database, register_worker_committed(database))
    conn.execute("DELETE FROM job_history")
    history = fetch_queue_entry(conn, document_id)["processor_metadata"]["retry_history"]
    assert [(h["retry_number"], h["previous_status"], h["last_processor"]) for h in history] == [
        (1, "failed", first),
        (2, "failed", str(second)),
    ]
    assert history[0]["reset_at"] < history[1]["reset_at"]


def test_one_document_that_cannot_be_reset_does_not_stop_the_others(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    hopeless = make_dead(database, workspace, "corrupt")
    waiting = make_scheduled(database, workspace)
    assert reset(conn, "'0'") == 1
    assert (fetch_queue_entry(conn, hopeless)["status"], fetch_queue_entry(conn, waiting)["status"]) == (
        "failed",
        "pending",
    )


def test_outside_failures_count_as_attempts_so_that_resets_end(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    counts = []
    for _ in range(3):
        report(conn, document_id, "failed", "Broken {", "scanner-7")
        counts.append((fetch_queue_entry(conn, document_id)["retry_count"], reset(conn, "'0'")))
    assert counts == [(1, 1), (2, 1), (3, 0)]
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["final_status"]) == ("failed", "permanently_failed")
    failures = [(f["processor"], f["retry_count"]) for f in row["failure_history"]]
    assert failures == [("scanner-7", 1), ("scanner-7", 2), ("scanner-7", 3)]
    resets = row["processor_metadata"]["retry_history"]
    assert [(r["retry_number"], r["last_processor"]) for r in resets] == [(1, "scanner-7"), (2, "scanner-7")]


def test_a_claim_does_not_wait_for_a_reset_that_is_rolled_back(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = make_scheduled(database, workspace)
    arrive(database, workspace, "other")
    with database.connect() as broken, broken.transaction(force_rollback=True):
        assert reset(broken, "'0'") == 1
        with database.transaction() as worker:
            assert len(queue.claim(worker, "fetch", register_worker_committed(database), 5)) == 1
    assert fetch_queue_entry(conn, document_id)["status"] == "failed"


@pytest.mark.parametrize(
    ("status", "terminal"), [("completed", "done"), ("failed", "dead"), ("cancelled", "cancelled")]
)
def test_the_function_ends_a_document_and_records_the_processor(
    database: Database, conn: Connection, workspace: UUID, status: str, terminal: str
) -> None:
    document_id, lease = make_running(database, workspace)
    report(conn, document_id, status, "text", "machine 9")
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["processor_metadata"]["last_processor"]) == (status, "machine 9")
    assert list_job_outcomes(conn, document_id) == [terminal]
    before = load_rows(conn, document_id)
    report(conn, document_id, "completed")
    assert load_rows(conn, document_id) == before
    report(conn, document_id, "pending")
    assert fetch_queue_entry(conn, document_id)["status"] == "pending"
    assert claim_document_job(database, register_worker_committed(database)).fence > (
        lease.fence if status == "failed" else 0
    )


def test_the_function_takes_its_arguments_by_name(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    number = fetch_queue_entry(conn, document_id)["id"]
    conn.execute(
        "SELECT update_queue_status_with_history(p_queue_id => %s, p_new_status => 'failed',"
        " p_error_message => 'No paper.', p_processor_id => 'scanner-7')",
        (number,),
    )
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["failure_history"][0]["processor"]) == ("failed", "scanner-7")
    assert row["error_message"].endswith("No paper.")
    conn.execute("SELECT update_queue_status_with_history(%s::integer, p_new_status => 'pending')", (number,))
    assert fetch_queue_entry(conn, document_id)["status"] == "pending"


@pytest.mark.parametrize("retried", ["running", "held", "completed"])
def test_an_automatic_reset_leaves_a_document_alone_that_was_retried_meanwhile(
    database: Database, conn: Connection, workspace: UUID, retried: str
) -> None:
    """The reset found it failed, but got the lock after a user had retried it."""
    document_id, _ = make_running(database, workspace)
    if retried == "held":
        conn.execute("UPDATE document_processing_queue SET status = 'processing'")
    elif retried == "completed":
        conn.execute("UPDATE document_processing_queue SET status = 'completed'")
    before = load_rows(conn, document_id)
    with database.transaction() as duty:
        assert queue.requeue_document(duty, document_id) is False
    assert load_rows(conn, document_id) == before


def test_locked_documents_do_not_stop_a_reset(database: Database, conn: Connection, workspace: UUID) -> None:
    notices: list[str] = []
    conn.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
    made = [make_dead(database, workspace, "outside") for _ in range(5)] + [make_scheduled(database, workspace)]
    with database.transaction() as other:
        other.execute("SELECT FROM documents WHERE seq IN (2, 3) FOR UPDATE")
        other.execute("SELECT FROM dead_letters WHERE document_id = %s FOR UPDATE", (made[3],))
        conn.execute("SET statement_timeout = '20s'")
        assert reset(conn, "'0'") == 3
    assert notices == [
        *(f"Document {number} is not changed: another transaction is changing it." for number in (2, 3, 4)),
        "3 documents were not reset, because other transactions are changing them. Run the reset again.",
    ]
    assert reset(conn, "'0'") == 3


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("-1, 'pending'", "no queue entry -1"),
        ("NULL, 'pending'", "no queue entry NULL"),
        ("{id}, 'finished'", "no queue status 'finished'"),
        ("{id}, NULL", "no queue status NULL"),
    ],
)
def test_the_function_rejects_invalid_input_with_a_message(
    database: Database, conn: Connection, workspace: UUID, call: str, error: str
) -> None:
    number = fetch_queue_entry(conn, arrive(database, workspace))["id"]
    with pytest.raises(psycopg.Error, match=error):
        conn.execute(f"SELECT update_queue_status_with_history({call.format(id=number)})".encode())
