"""Tests that a claimer which is suspended before it has read its answer does not stop its pool."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from tests.queue.jobs.concurrency.frozen_claimer import frozen_claimer
from tests.queue.queue_workers import (
    POOL,
    claim_committed,
    count_rows,
    enqueue_committed,
    make_job,
    register_worker,
    register_worker_committed,
)

LONGEST_NAME = "n" * 100
MAX_ROWS = 100


@pytest.mark.parametrize("payload_bytes", [50_000, 230], ids=["5 MB of payloads", "as many bytes as fit into the rows"])
def test_a_frozen_claimer_does_not_block_its_pool(
    database: Database, conn: Connection, database_address: str, workspace: UUID, payload_bytes: int
) -> None:
    job = make_job(workspace, stage=LONGEST_NAME, payload={"text": "x" * payload_bytes})
    for _ in range(5):
        enqueue_committed(database, *[job] * 30)
    frozen, other = register_worker(conn), register_worker(conn)
    conn.execute("SET lock_timeout = '20s'")
    with frozen_claimer(conn, database_address, frozen, MAX_ROWS):
        leases = queue.claim(conn, POOL, other, 20)
        assert [len(lease.payload["text"]) for lease in leases] == [payload_bytes] * 20  # type: ignore[arg-type]
        conn.execute("UPDATE workers SET heartbeat_at = '-infinity' WHERE id = %s", (frozen,))
        assert len(queue.reap(conn, other)) == 10
    assert count_rows(conn, "jobs WHERE state = 'running'") == MAX_ROWS + 20


def test_a_claim_of_many_jobs_returns_every_payload(database: Database, workspace: UUID) -> None:
    payloads = [{"n": number, "text": "é" * (number * 7)} for number in range(230)]
    enqueue_committed(database, *(make_job(workspace, payload=one, priority=n) for n, one in enumerate(payloads)))
    leases = claim_committed(database, register_worker_committed(database), 500)
    assert [lease.payload for lease in leases] == payloads


def test_a_number_with_many_digits_is_read_after_the_claim(database: Database, workspace: UUID) -> None:
    """It takes few bytes in the table and 60,000 in an answer."""
    enqueue_committed(database, make_job(workspace, payload={"n": 7}))
    with database.transaction() as conn:
        conn.execute("UPDATE jobs SET payload = '{\"n\": 1e60000}'")
        (row,) = conn.execute("SELECT * FROM claim_jobs(%s, %s, 1)", (POOL, register_worker(conn))).fetchall()
    assert row["payload"] is None
