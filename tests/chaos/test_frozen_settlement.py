"""A worker that freezes in the middle of a settlement holds up nobody but its own jobs."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Database
from docyard.model.jobs import Done, Outcome, Snoozed
from tests.queue.crew import add, hired, job, take, take_one

pytestmark = pytest.mark.chaos


@pytest.mark.xfail(reason="every settlement of a pool that had trouble waits for the pool's one breaker row")
@pytest.mark.parametrize("trouble", ["done", "snoozed"])
def test_an_open_settlement_delays_no_other_of_its_pool(
    database: Database, workspace: UUID, trouble: str
) -> None:
    worker, other = hired(database), hired(database)
    add(database, job(workspace), job(workspace))
    with database.transaction() as conn:
        # From its first failure on the pool has a breaker that counts.
        queue.settle(conn, [Snoozed(take_one(database, worker), 0, "rate_limit", "Not now.")])
    (mine,), (theirs,) = take(database, worker), take(database, other)
    frozen: Outcome = Done(mine) if trouble == "done" else Snoozed(mine, 0, "rate_limit", "Not now.")
    with database.connect() as open_one, open_one.transaction(), database.transaction() as conn:
        assert queue.settle(open_one, [frozen]) == {mine.job_id}
        conn.execute("SET LOCAL lock_timeout = '3s'")
        assert queue.settle(conn, [Done(theirs)]) == {theirs.job_id}
