"""Tests that a worker suspended during a settlement does not delay others.

Retries of one workspace are an exception: they are serialised, because the retry budget is exact, and wait
until the server ends the transaction of a suspended worker after ten seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Database
from docyard.model.jobs import Completion, JobFailure, Lease, Outcome, Snooze
from tests.queue.queue_workers import claim_committed, claim_one, enqueue_committed, make_job, register_worker_committed

pytestmark = pytest.mark.chaos


def _make_done(lease: Lease) -> Outcome:
    return Completion(lease)


def _make_snoozed(lease: Lease) -> Outcome:
    return Snooze(lease, 0, "rate_limit", "Not now.")


def _make_retried(lease: Lease) -> Outcome:
    return JobFailure(lease, "crash", "It broke.", final=False)


@pytest.mark.parametrize(
    ("frozen", "other"),
    [
        (_make_done, _make_done),
        (_make_snoozed, _make_snoozed),
        (_make_snoozed, _make_done),
        (_make_retried, _make_done),
    ],
    ids=["done", "snoozed", "snoozed and done", "retried and done"],
)
def test_an_open_settlement_does_not_delay_others(
    database: Database, workspace: UUID, frozen: Callable[[Lease], Outcome], other: Callable[[Lease], Outcome]
) -> None:
    one, two = register_worker_committed(database), register_worker_committed(database)
    enqueue_committed(database, make_job(workspace), make_job(workspace))
    with database.transaction() as conn:
        # After its first failure, the pool has a breaker, and settlements also record successes for it.
        queue.settle(conn, [_make_snoozed(claim_one(database, one))])
    (mine,), (theirs,) = claim_committed(database, one), claim_committed(database, two)
    with database.connect() as open_one, open_one.transaction(), database.transaction() as conn:
        assert queue.settle(open_one, [frozen(mine)]) == {mine.job_id}
        conn.execute("SET LOCAL lock_timeout = '3s'")
        assert queue.settle(conn, [other(theirs)]) == {theirs.job_id}
