"""Tests that nothing but an outcome, the deadline or an operator ends the hold of an outside processor."""

from __future__ import annotations

import time
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Snooze
from docyard.queue import control
from docyard.queue.control.clock_steps import ClockStep
from docyard.queue.control.shifts import SHIFTS
from tests.queue.queue_workers import register_worker_committed
from tests.queue.sql_interface.sql_session import fetch_one

DAY = 86_400.0


@pytest.fixture
def held(conn: Connection, workspace: UUID) -> UUID:
    """A document that an outside processor holds."""
    row = fetch_one(
        conn,
        "INSERT INTO documents (workspace_id, name, original_path) VALUES (%s, 'n', '/x/y') RETURNING id",
        workspace,
    )
    document: UUID = row["id"]
    _hold(conn, document)
    return document


def _hold(conn: Connection, document: UUID) -> None:
    assert fetch_one(conn, "SELECT hold_document(%s, 'processing', NULL, 'ocr-1') AS done", document)["done"]


def _expire(conn: Connection) -> None:
    conn.execute("UPDATE jobs SET run_at = now() - interval '1 s'")
    queue.promote_due(conn)


def test_an_unavailable_llm_does_not_end_a_hold(conn: Connection, held: UUID) -> None:
    conn.execute("INSERT INTO pools (pool, resource) VALUES ('llm:x', 'llm')")
    conn.execute("UPDATE jobs SET pool = 'llm:x', created_at = now() - interval '1 day'")
    conn.execute(
        "INSERT INTO pool_breakers (pool, state, open_until) VALUES ('llm:x', 'open', now() + interval '1 hour')"
    )
    queue.skip_unavailable_llm(conn, pool="fetch", longest=600, limit=10)
    assert fetch_one(conn, "SELECT state, pool FROM jobs") == {"state": "scheduled", "pool": "llm:x"}


def test_an_expired_hold_waits_while_its_document_is_locked(database: Database, conn: Connection, held: UUID) -> None:
    with database.transaction() as operator:
        operator.execute("SELECT FROM documents FOR UPDATE")
        _expire(conn)
        assert fetch_one(conn, "SELECT state FROM jobs") == {"state": "scheduled"}
    queue.promote_due(conn)
    assert fetch_one(conn, "SELECT state FROM jobs") == {"state": "pending"}
    assert fetch_one(conn, "SELECT status, failures FROM documents") == {"status": "pending", "failures": 1}


def test_an_expired_hold_is_counted_after_a_wait_for_a_lock(database: Database, conn: Connection, held: UUID) -> None:
    worker = register_worker_committed(database)
    _expire(conn)
    (lease,) = queue.claim(conn, "fetch", worker, 1)
    queue.settle(conn, [Snooze(lease, 1.0, "locked", "Locked.")])
    _expire(conn)
    (lease,) = queue.claim(conn, "fetch", worker, 1)
    assert queue.park_unfetchable(conn, lease) == "parked"
    assert fetch_one(conn, "SELECT attempts FROM jobs") == {"attempts": 1}


@pytest.mark.parametrize("ahead", [DAY, 0.0], ids=["held before the step", "held after the step"])
def test_a_step_of_the_clock_keeps_the_length_of_a_hold(
    database: Database, conn: Connection, held: UUID, ahead: float
) -> None:
    now = time.time()
    conn.execute("UPDATE jobs SET created_at = created_at + interval '12 hours'")
    conn.execute(
        "UPDATE jobs SET started_at = started_at + make_interval(secs => %(s)s),"
        " run_at = run_at + make_interval(secs => %(s)s)",
        {"s": ahead},
    )
    step = ClockStep(now + DAY, -DAY, now - 5)
    with database.transaction() as shifting:
        control.begin_shift(shifting, register_worker_committed(database), step, SHIFTS)
        assert control.continue_shifts(shifting, SHIFTS) == []
    row = fetch_one(conn, "SELECT extract(epoch FROM run_at - clock_timestamp())::float8 AS due FROM jobs")
    assert row["due"] == pytest.approx(660, abs=60)


def test_a_step_of_the_clock_leaves_parked_jobs_parked(database: Database, conn: Connection, workspace: UUID) -> None:
    conn.execute("INSERT INTO documents (workspace_id, name, original_path) VALUES (%s, 'n', '/x/y')", (workspace,))
    now = time.time()
    with database.transaction() as shifting:
        step = ClockStep(now, -400 * DAY, now - 500 * DAY)
        control.begin_shift(shifting, register_worker_committed(database), step, SHIFTS)
        assert control.continue_shifts(shifting, SHIFTS) == []
    assert fetch_one(conn, "SELECT is_parked(state, run_at) AS parked FROM jobs") == {"parked": True}
