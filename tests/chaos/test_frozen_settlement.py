"""A worker that freezes in the middle of a settlement holds up no other.

Only the retries of one workspace are granted one after another: its budget is exact. They wait for a frozen
one until its transaction is cut, after ten seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Database
from docyard.model.jobs import Done, Failed, Lease, Outcome, Snoozed
from tests.queue.crew import add, hired, job, take, take_one

pytestmark = pytest.mark.chaos


def _done(lease: Lease) -> Outcome:
    return Done(lease)


def _snoozed(lease: Lease) -> Outcome:
    return Snoozed(lease, 0, "rate_limit", "Not now.")


def _retried(lease: Lease) -> Outcome:
    return Failed(lease, "crash", "It broke.", final=False)


@pytest.mark.parametrize(
    ("frozen", "other"),
    [(_done, _done), (_snoozed, _snoozed), (_snoozed, _done), (_retried, _done)],
    ids=["done", "snoozed", "snoozed and done", "retried and done"],
)
def test_an_open_settlement_delays_no_other(
    database: Database,
    workspace: UUID,
    frozen: Callable[[Lease], Outcome],
    other: Callable[[Lease], Outcome],
) -> None:
    one, two = hired(database), hired(database)
    add(database, job(workspace), job(workspace))
    with database.transaction() as conn:
        # From its first failure on the pool has a breaker that counts.
        queue.settle(conn, [_snoozed(take_one(database, one))])
    (mine,), (theirs,) = take(database, one), take(database, two)
    with database.connect() as open_one, open_one.transaction(), database.transaction() as conn:
        assert queue.settle(open_one, [frozen(mine)]) == {mine.job_id}
        conn.execute("SET LOCAL lock_timeout = '3s'")
        assert queue.settle(conn, [other(theirs)]) == {theirs.job_id}
