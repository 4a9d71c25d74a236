"""The only door that writes final states: it accepts an outcome only from the worker that holds the job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from psycopg.rows import DictRow

from docyard.db import Connection, Queries
from docyard.model.failures import category
from docyard.model.jobs import Done, Failed, Lease, Outcome, Snoozed
from docyard.queue.control.breaker import mark
from docyard.queue.jobs.children import wake_parents

_SQL = Queries("docyard.queue.jobs", "settle.sql")


def settle(conn: Connection, outcomes: Iterable[Outcome]) -> set[UUID]:
    """Record how jobs ended and return the ids accepted; the others were lost to a newer fence.

    Locks are taken on jobs, then on their parents, then on budgets; in another order two settlements could
    wait for each other.
    """
    given = sorted(outcomes, key=lambda outcome: outcome.lease.job_id)
    exhausted = _lock(conn, given)
    # Without an attempt left a failure is final, whatever it says of itself.
    dead = [o for o in given if isinstance(o, Failed) and (o.final or o.lease.job_id in exhausted)]
    ended = [*_done(conn, [o for o in given if isinstance(o, Done)]), *_dead(conn, dead)]
    wake_parents(conn, [(row["parent_id"], row["failed"]) for row in ended if row["parent_id"]])
    again = _again(conn, [o for o in given if isinstance(o, (Failed, Snoozed)) and o not in dead])
    settled = {row["id"]: row for row in [*ended, *again]}
    mark(conn, [(o, settled[o.lease.job_id]) for o in given if o.lease.job_id in settled])
    return set(settled)


def still_held(conn: Connection, lease: Lease) -> Lease | None:
    """The lease with its stage and attempts of now, locked for this transaction; None when it was lost."""
    row = conn.execute(_SQL["still_held"], _held(lease)).fetchone()
    return replace(lease, stage=row["stage"], attempts=row["attempts"], waited=row["waited"]) if row else None


def prolong(conn: Connection, lease: Lease) -> bool:
    """Give the job its whole time again, locked for this transaction; False means ownership was lost."""
    return conn.execute(_SQL["prolong"], _held(lease)).fetchone() is not None


def move(conn: Connection, lease: Lease, pool: str, stage: str) -> bool:
    """Let another pool serve the job, unspent; False means ownership was lost."""
    return conn.execute(_SQL["move"], {**_held(lease), "pool": pool, "stage": stage}).fetchone() is not None


def enter(conn: Connection, lease: Lease, stage: str) -> None:
    """Note the stage that the job turned out to be for, when it begins."""
    conn.execute(_SQL["enter"], {**_held(lease), "stage": stage})


def advance(conn: Connection, lease: Lease, stage: str) -> bool:
    """Note that the job goes on with `stage`; False means ownership was lost."""
    return conn.execute(_SQL["advance"], {**_held(lease), "stage": stage}).fetchone() is not None


def _held(lease: Lease) -> dict[str, object]:
    return {"id": lease.job_id, "fence": lease.fence, "worker_id": lease.worker_id}


def _lock(conn: Connection, outcomes: Sequence[Outcome]) -> set[UUID]:
    """Lock the jobs before anything else; gives those that have no attempt left."""
    if all(isinstance(outcome, Done) for outcome in outcomes):
        return set()  # one statement locks them, in the order given
    return {row["id"] for row in _run(conn, "lock_held", outcomes, {}) if row["exhausted"]}


def _done(conn: Connection, outcomes: Sequence[Done]) -> list[DictRow]:
    more = {
        "outcomes": [o.outcome for o in outcomes],
        "categories": [o.category for o in outcomes],
        "messages": [o.message for o in outcomes],
    }
    return _run(conn, "settle_done", outcomes, more)


def _dead(conn: Connection, outcomes: Sequence[Failed]) -> list[DictRow]:
    more = {
        "categories": [o.category for o in outcomes],
        "messages": [o.message for o in outcomes],
        "retryable": [category(o.category).retry for o in outcomes],
    }
    return _run(conn, "settle_dead", outcomes, more)


def _again(conn: Connection, outcomes: Sequence[Failed | Snoozed]) -> list[DictRow]:
    charged = [isinstance(o, Failed) and category(o.category).charged for o in outcomes]
    workspaces = {o.lease.workspace_id for o, counts in zip(outcomes, charged, strict=True) if counts}
    if workspaces:
        conn.execute(_SQL["open_budgets"], {"workspaces": list(workspaces)})
    more = {
        "delays": [float(o.seconds if isinstance(o, Snoozed) else o.delay) for o in outcomes],
        "spent": [isinstance(o, Failed) for o in outcomes],
        "charged": charged,
        "categories": [o.category for o in outcomes],
        "messages": [o.message for o in outcomes],
    }
    return _run(conn, "settle_retry", outcomes, more)


def _run(
    conn: Connection, query: str, outcomes: Sequence[Outcome], more: Mapping[str, object]
) -> list[DictRow]:
    if not outcomes:
        return []
    leases = [o.lease for o in outcomes]
    held = {
        "ids": _array([lease.job_id for lease in leases]),
        "fences": [lease.fence for lease in leases],
        "workers": _array([lease.worker_id for lease in leases]),
    }
    return conn.execute(_SQL[query], {**held, **more}).fetchall()


def _array(ids: Sequence[UUID]) -> str:
    """An array as PostgreSQL reads it; the driver takes ten times as long to write a list of ids."""
    return "{" + ",".join([one.hex for one in ids]) + "}"
