"""Tests of concurrent actions on a few documents: no deadlock, no lost job, no job that ends twice."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import NotFound, Retry
from docyard.pipeline import step as steps
from docyard.pipeline.cancellation import delete_document
from docyard.pipeline.reruns import retry_document
from tests.pipeline.stage_runs import (
    STAGE_NAMES,
    VALUES,
    arrive,
    claim_document_job,
    load_document,
    load_rows,
    run_until,
)
from tests.queue.queue_workers import register_worker_committed

ROUNDS = 60


class RandomWorker:
    """A worker that performs random actions on shared documents."""

    def __init__(self, database: Database, documents: list[UUID], seed: int) -> None:
        self.database = database
        self.documents = documents
        self.rng = random.Random(seed)
        self.worker = register_worker_committed(database)

    def work(self) -> None:
        acts: list[Callable[[Connection], None]] = [
            self.run,
            self.run,
            self.run,
            self.retry_or_delete,
            self.reap,
            self.release,
        ]
        for _ in range(ROUNDS):
            with self.database.transaction() as conn:
                self.rng.choice(acts)(conn)

    def run(self, conn: Connection) -> None:
        """Claim and run a stage in one transaction, to hold all locks as long as possible."""
        for lease in queue.claim(conn, self.rng.choice(STAGE_NAMES), self.worker, 3):
            step = steps.begin(conn, lease)
            if step is not None and self.rng.random() < 0.7:
                steps.record(conn, lease, step, VALUES[step.stage.name], 0.1)
            elif self.rng.random() < 0.5:
                steps.fail(conn, lease, Retry("worker_lost", "gone"))

    def retry_or_delete(self, conn: Connection) -> None:
        act = delete_document if self.rng.random() < 0.1 else retry_document
        try:
            act(conn, self.rng.choice(self.documents))
        except NotFound:
            return

    def reap(self, conn: Connection) -> None:
        conn.execute(
            "UPDATE jobs SET deadline_at = '-infinity' WHERE id IN (SELECT id FROM jobs"
            " WHERE state = 'running' LIMIT 2 FOR UPDATE SKIP LOCKED)"
        )
        for one in queue.reap(conn, self.worker):
            assert steps.fail(conn, one.lease, one.failure)

    def release(self, conn: Connection) -> None:
        queue.release_leases(conn, self.worker)


@pytest.mark.parametrize("seed", [1, 2])
def test_concurrent_actions_on_a_few_documents_do_not_deadlock(
    database: Database, conn: Connection, workspace: UUID, seed: int
) -> None:
    documents = [arrive(database, workspace, f"{number}.txt") for number in range(12)]
    workers = [RandomWorker(database, documents, 100 * seed + number) for number in range(5)]
    with ThreadPoolExecutor(len(workers)) as threads:
        list(threads.map(RandomWorker.work, workers))
    twice = conn.execute("SELECT id FROM job_history GROUP BY id HAVING count(*) > 1").fetchall()
    assert twice == []
    stuck = conn.execute(
        "SELECT FROM documents d WHERE d.deleted_at IS NULL AND d.status IN ('pending', 'processing')"
        " AND NOT EXISTS (SELECT FROM jobs j WHERE j.document_id = d.id)"
    ).fetchall()
    assert stuck == []


def wait_until_a_session_waits(conn: Connection) -> None:
    while conn.execute("SELECT FROM pg_locks WHERE NOT granted").fetchone() is None:
        pass


def test_deleting_a_document_waits_for_a_running_settlement(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    """Both transactions lock the job before the document; in different orders they would deadlock."""
    document_id = arrive(database, workspace)
    lease = claim_document_job(database, register_worker_committed(database))
    step = run_until(database, lease, "fetch")

    def remove() -> None:
        with database.transaction() as other:
            delete_document(other, document_id)

    with ThreadPoolExecutor(1) as thread:
        with database.transaction() as settling:
            assert queue.lock_lease(settling, lease)
            removed = thread.submit(remove)
            wait_until_a_session_waits(conn)
            assert steps.record(settling, lease, step, VALUES["fetch"], 0.1).accepted
        removed.result(timeout=30)
    with pytest.raises(NotFound):
        load_document(conn, document_id)
    assert load_rows(conn, document_id)["jobs"] == []
