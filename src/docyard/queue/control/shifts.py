"""The shift of stored times by a step of the database's clock, part by part; locked rows and further batches follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any
from uuid import UUID

import psycopg

from docyard.db import Connection, Queries
from docyard.queue.control.clock_steps import ClockStep

# Shifts the rows that it can in one batch, and returns the rest: keys of rows that are left, or where to continue.
# Its parameters are the fields of a Remainder.
Part = Callable[[Connection, Mapping[str, Any]], list[str]]

_SQL = Queries("docyard.queue.control", "shifts.sql")
_BATCH_SIZE = 2000
_FIRST_ID = str(UUID(int=0))


@dataclass(frozen=True, slots=True)
class Remainder:
    """What remains to be shifted of a part, or all of it if `rest` is None; the age is that of the step.

    Times from `since` until `until`, or until now, were given by the new clock.
    """

    step_id: int
    part: str
    seconds: float
    since: float
    until: float | None
    rest: list[str] | None
    age: float


def begin_shift(conn: Connection, worker_id: UUID, step: ClockStep, parts: Iterable[str]) -> None:
    """Log a step, and that these parts are to be shifted by it."""
    conn.execute(_SQL["begin_shift"], {**asdict(step), "worker_id": worker_id, "parts": list(parts)})


def continue_shifts(conn: Connection, parts: Mapping[str, Part]) -> list[tuple[Remainder, bool]]:
    """Shift a batch of each remainder, in the order of `parts`; return the unfinished ones, and which made progress."""
    order = list(parts)
    rows = conn.execute(_SQL["remainders"]).fetchall()
    remainders = [Remainder(**{name: row[name] for name in Remainder.__slots__}) for row in rows]
    left = []
    for remainder in sorted(remainders, key=lambda each: (each.step_id, order.index(each.part))):
        rest = _shift_part(conn, parts[remainder.part], remainder)
        query = "end_part" if rest == [] else "save_remainder"
        conn.execute(_SQL[query], {**asdict(remainder), "rest": rest})
        if rest != []:
            left.append((remainder, rest != remainder.rest))
    return left


def _shift_part(conn: Connection, part: Part, remainder: Remainder) -> list[str] | None:
    try:
        with conn.transaction():
            return part(conn, asdict(remainder))
    except psycopg.errors.LockNotAvailable:  # Another transaction has locked the table.
        return remainder.rest


def _shift_rows(query: str, conn: Connection, remainder: Mapping[str, Any]) -> list[str]:
    return [row["key"] for row in conn.execute(_SQL[query], remainder)]


def _shift_jobs(conn: Connection, remainder: Mapping[str, Any]) -> list[str]:
    """Shift a batch of jobs; the rest is the last id of the batch, empty after the last one, and the locked jobs."""
    cursor, *locked = remainder["rest"] or [_FIRST_ID]
    params = {**remainder, "cursor": cursor or None, "locked": locked, "limit": _BATCH_SIZE}
    rows = conn.execute(_SQL["shift_jobs"], params).fetchall()
    batch = [row["id"] for row in rows if row["is_new"]]
    cursor = batch[-1] if len(batch) == _BATCH_SIZE else ""
    locked = [row["id"] for row in rows if row["is_locked"]]
    return [cursor, *locked] if cursor or locked else []


def _pull_pending_jobs(conn: Connection, remainder: Mapping[str, Any]) -> list[str]:
    (cursor,) = remainder["rest"] or [_FIRST_ID]
    params = {**remainder, "cursor": cursor, "limit": _BATCH_SIZE}
    batch = [row["id"] for row in conn.execute(_SQL["pull_pending_jobs"], params)]
    return batch[-1:] if len(batch) == _BATCH_SIZE else []


# Claims wait for pools and heartbeats for workers, so these are locked last.
SHIFTS: dict[str, Part] = {
    "jobs": _shift_jobs,
    "samples": partial(_shift_rows, "shift_samples"),
    "breakers": partial(_shift_rows, "shift_breakers"),
    "marks": partial(_shift_rows, "shift_marks"),
    "budgets": partial(_shift_rows, "shift_budgets"),
    "pools": partial(_shift_rows, "shift_pools"),
    "workers": partial(_shift_rows, "shift_workers"),
}
# These only keep the order of claims; duties need not wait for them.
PULLS: dict[str, Part] = {"pending_jobs": _pull_pending_jobs}
