"""Tests that transactions which lock several rows take them in one order, so that they never deadlock."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID

from docyard import queue
from docyard.db import Connection, Database
from tests.queue.queue_workers import (
    claim_committed,
    count_rows,
    enqueue_committed,
    make_job,
    register_worker_committed,
    settle_failed,
)

KEYS = [f"key {number}" for number in range(60)]
THREADS, ROUNDS = 4, 12


def run_concurrently(database: Database, act: Callable[[Connection, random.Random], object]) -> None:
    """Call `act` from several threads at the same moments, each time in a transaction of its own."""
    barrier = Barrier(THREADS)

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(ROUNDS):
            barrier.wait(60)
            with database.transaction() as conn:
                act(conn, rng)

    with ThreadPoolExecutor(THREADS) as threads:
        for done in [threads.submit(work, seed) for seed in range(THREADS)]:
            done.result(120)


def test_concurrent_enqueues_of_the_same_keys_in_any_order_do_not_deadlock(
    database: Database, conn: Connection, workspace: UUID, other_workspace: UUID
) -> None:
    def enqueue_and_cancel(session: Connection, rng: random.Random) -> None:
        jobs = [make_job(rng.choice([workspace, other_workspace]), dedupe_key=key) for key in rng.sample(KEYS, 60)]
        ids = queue.enqueue(session, jobs)
        queue.cancel_jobs(session, ids[::3])

    run_concurrently(database, enqueue_and_cancel)
    live = count_rows(conn, "(SELECT DISTINCT workspace_id, dedupe_key FROM jobs) AS k")
    assert live == count_rows(conn, "jobs") > 0


def test_ids_are_returned_in_the_order_of_the_jobs(database: Database, conn: Connection, workspace: UUID) -> None:
    keys = random.Random(7).sample(KEYS, 40)
    enqueue_committed(database, *(make_job(workspace, dedupe_key=key) for key in keys[:5]))
    ids = enqueue_committed(database, *(make_job(workspace, dedupe_key=key) for key in [*keys, *keys]))
    rows = {row["id"]: row["dedupe_key"] for row in conn.execute("SELECT id, dedupe_key FROM jobs")}
    assert [rows[one] for one in ids] == keys[5:]


def test_concurrent_replays_and_discards_of_the_same_letters_do_not_deadlock(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    enqueue_committed(database, *(make_job(workspace, dedupe_key=key) for key in KEYS))
    leases = claim_committed(database, register_worker_committed(database), 60)
    settle_failed(database, *leases, category="corrupt", final=True)
    ids = [lease.job_id for lease in leases]

    def replay_or_discard(session: Connection, rng: random.Random) -> None:
        chosen = rng.sample(ids, 40)
        with session.transaction(force_rollback=rng.random() < 0.8):
            (queue.replay if rng.random() < 0.5 else queue.discard)(session, chosen)

    run_concurrently(database, replay_or_discard)
    assert sum(count_rows(conn, table) for table in ("jobs", "dead_letters", "job_history")) == len(ids)
