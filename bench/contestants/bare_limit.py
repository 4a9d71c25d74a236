"""An upper bound without a queue: a loop that claims 100 rows and moves them to a history table."""

from __future__ import annotations

import time

import psycopg

from bench.contestants import tally
from bench.contestants.protocol import BATCH, BULK, TEXT, run_role

_SCHEMA = """
CREATE TABLE IF NOT EXISTS bare_jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    payload jsonb NOT NULL,
    running boolean NOT NULL DEFAULT false
);
CREATE INDEX IF NOT EXISTS bare_waiting ON bare_jobs (id) WHERE NOT running;
CREATE TABLE IF NOT EXISTS bare_history (
    id bigint PRIMARY KEY, payload jsonb NOT NULL, finished_at timestamptz NOT NULL DEFAULT now()
);
"""
_ADD = "INSERT INTO bare_jobs (payload) SELECT jsonb_build_object('text', %s::text) FROM generate_series(1, %s)"
_CLAIM = """
UPDATE bare_jobs SET running = true WHERE id IN (
    SELECT id FROM bare_jobs WHERE NOT running ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED
) RETURNING id, payload
"""
_FINISH = """
WITH gone AS (DELETE FROM bare_jobs WHERE id = ANY(%s) RETURNING id, payload)
INSERT INTO bare_history (id, payload) SELECT id, payload FROM gone
"""


class BareClient:
    """Client with plain autocommit statements."""

    def __init__(self, url: str) -> None:
        self._conn = psycopg.connect(url, autocommit=True)
        self._conn.execute(_SCHEMA)

    def enqueue(self, jobs: int) -> None:
        """Add one job per statement."""
        for _ in range(jobs):
            self._conn.execute(_ADD, (TEXT, 1))

    def enqueue_bulk(self, calls: int) -> None:
        """Add a thousand jobs per statement."""
        for _ in range(calls):
            self._conn.execute(_ADD, (TEXT, BULK))

    def count_unfinished(self) -> int:
        """Return the number of rows not yet moved to the history."""
        row = self._conn.execute("SELECT count(*) FROM bare_jobs").fetchone()
        return int(row[0]) if row else 0

    def clear(self) -> None:
        """Empty both tables."""
        self._conn.execute("TRUNCATE bare_jobs, bare_history")


def work(url: str, _processes: int) -> None:
    """Claim, run and move rows; poll while there are none."""
    with psycopg.connect(url, autocommit=True) as conn:
        tally.await_go()
        while True:
            ids = [row[0] for row in conn.execute(_CLAIM, (BATCH,))]
            for _ in ids:
                tally.no_op()
            if ids:
                conn.execute(_FINISH, (ids,))
            else:
                time.sleep(0.05)


if __name__ == "__main__":
    run_role(BareClient, work)
