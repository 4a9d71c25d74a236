"""Settlement of leased jobs; an outcome is accepted only from the current leaseholder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from psycopg.rows import DictRow

from docyard.db import Connection, Queries
from docyard.model.failures import LOCKED, get_category
from docyard.model.jobs import Completion, JobFailure, Lease, Outcome, Snooze
from docyard.queue.control.breaker import record_outcomes
from docyard.queue.jobs.children import wake_parents

_SQL = Queries("docyard.queue.jobs", "settlement.sql")


def settle(conn: Connection, outcomes: Iterable[Outcome]) -> set[UUID]:
    """Record the outcomes of jobs; return the ids of the jobs whose lease was still valid.

    Locks are taken on jobs, then on their parents, then on retry budgets; any other order risks a deadlock.
    """
    ordered = sorted(outcomes, key=lambda outcome: outcome.lease.job_id)
    exhausted = _lock_jobs(conn, ordered)
    # A failure of the last attempt is final, even if it is not marked as final.
    dead = [o for o in ordered if isinstance(o, JobFailure) and (o.final or o.lease.job_id in exhausted)]
    ended = [*_settle_done(conn, [o for o in ordered if isinstance(o, Completion)]), *_settle_dead(conn, dead)]
    wake_parents(conn, [(row["parent_id"], row["failed"]) for row in ended if row["parent_id"]])
    retried = _settle_retry(conn, [o for o in ordered if isinstance(o, (JobFailure, Snooze)) and o not in dead])
    settled = {row["id"]: row for row in [*ended, *retried]}
    record_outcomes(conn, [(o, settled[o.lease.job_id]) for o in ordered if o.lease.job_id in settled])
    return set(settled)


def lock_lease(conn: Connection, lease: Lease) -> Lease | None:
    """Lock a leased job; return the lease with current stage, attempts and snoozed time, or None if lost."""
    row = conn.execute(_SQL["lock_lease"], {**_lease_params(lease), "locked": LOCKED}).fetchone()
    return replace(lease, stage=row["stage"], attempts=row["attempts"], waited=row["waited"]) if row else None


def lock_free_lease(conn: Connection, lease: Lease) -> float | None:
    """Lock a leased job and return the seconds it has waited for locks; None if it is locked or the lease was lost."""
    row = conn.execute(_SQL["lock_free_lease"], {**_lease_params(lease), "locked": LOCKED}).fetchone()
    return float(row["waited"]) if row else None


def extend_deadline(conn: Connection, lease: Lease) -> bool:
    """Restart the deadline of a leased job and lock the job; return False if the lease was lost."""
    return conn.execute(_SQL["extend_deadline"], _lease_params(lease)).fetchone() is not None


def move(conn: Connection, lease: Lease, pool: str, stage: str) -> bool:
    """Make a leased job pending in another pool, using no attempt; return False if the lease was lost."""
    params = {**_lease_params(lease), "pool": pool, "stage": stage}
    return conn.execute(_SQL["move"], params).fetchone() is not None


def set_stage(conn: Connection, lease: Lease, stage: str) -> None:
    """Change the stage of a leased job and remove payload keys that apply only to another stage."""
    conn.execute(_SQL["set_stage"], {**_lease_params(lease), "stage": stage})


def advance(conn: Connection, lease: Lease, stage: str) -> bool:
    """Record that a leased job continues with `stage`; return False if the lease was lost."""
    return conn.execute(_SQL["advance"], {**_lease_params(lease), "stage": stage}).fetchone() is not None


def _lease_params(lease: Lease) -> dict[str, object]:
    return {"id": lease.job_id, "fence": lease.fence, "worker_id": lease.worker_id}


def _lock_jobs(conn: Connection, outcomes: Sequence[Outcome]) -> set[UUID]:
    """Lock the jobs in order of id, unless all outcomes are completions; return the ids of exhausted jobs."""
    if all(isinstance(outcome, Completion) for outcome in outcomes):
        return set()  # a single DELETE will lock them in the order of the outcomes
    return {row["id"] for row in _run(conn, "lock_held", outcomes, {}) if row["exhausted"]}


def _settle_done(conn: Connection, outcomes: Sequence[Completion]) -> list[DictRow]:
    columns = {
        "outcomes": [o.outcome for o in outcomes],
        "categories": [o.category for o in outcomes],
        "messages": [o.message for o in outcomes],
    }
    return _run(conn, "settle_done", outcomes, columns)


def _settle_dead(conn: Connection, outcomes: Sequence[JobFailure]) -> list[DictRow]:
    columns = {
        "categories": [o.category for o in outcomes],
        "messages": [o.message for o in outcomes],
        "retryable": [get_category(o.category).retry for o in outcomes],
    }
    return _run(conn, "settle_dead", outcomes, columns)


def _settle_retry(conn: Connection, outcomes: Sequence[JobFailure | Snooze]) -> list[DictRow]:
    charged = [isinstance(o, JobFailure) and get_category(o.category).charged for o in outcomes]
    workspaces = {o.lease.workspace_id for o, counts in zip(outcomes, charged, strict=True) if counts}
    if workspaces:
        conn.execute(_SQL["open_budgets"], {"workspaces": list(workspaces)})
    columns = {
        "delays": [float(o.seconds if isinstance(o, Snooze) else o.delay) for o in outcomes],
        "spent": [isinstance(o, JobFailure) for o in outcomes],
        "charged": charged,
        "categories": [o.category for o in outcomes],
        "messages": [o.message for o in outcomes],
        "locked": LOCKED,
    }
    return _run(conn, "settle_retry", outcomes, columns)


def _run(conn: Connection, query: str, outcomes: Sequence[Outcome], columns: Mapping[str, object]) -> list[DictRow]:
    if not outcomes:
        return []
    leases = [o.lease for o in outcomes]
    keys = {
        "ids": _format_array([lease.job_id for lease in leases]),
        "fences": [lease.fence for lease in leases],
        "workers": _format_array([lease.worker_id for lease in leases]),
        "ran_by": _format_array([lease.ran_by for lease in leases]),
    }
    return conn.execute(_SQL[query], {**keys, **columns}).fetchall()


def _format_array(ids: Sequence[UUID]) -> str:
    """Return a PostgreSQL array literal; psycopg takes ten times as long to format a list of UUIDs."""
    return "{" + ",".join([each.hex for each in ids]) + "}"
