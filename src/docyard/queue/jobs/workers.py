"""Registration, heartbeats and leases of workers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.model.jobs import Lease, Worker

_SQL = Queries("docyard.queue.jobs", "workers.sql")


def register(conn: Connection, worker: Worker) -> None:
    """Register a worker, which must have a new id at each start."""
    conn.execute(_SQL["register"], {**asdict(worker), "pools": list(worker.pools)})


def heartbeat(conn: Connection, worker_id: UUID, idle_seconds: float = 0.0) -> bool:
    """Record a heartbeat; return False if the worker was declared lost and must give up its leases.

    `idle_seconds` is the time since the main loop of the worker last completed a round.
    """
    params = {"id": worker_id, "idle_seconds": idle_seconds}
    return conn.execute(_SQL["heartbeat"], params).fetchone() is not None


def keep_heartbeat(conn: Connection, worker_id: UUID, idle_seconds: float = 0.0) -> None:
    """Record a heartbeat while another transaction has locked the row of the worker."""
    conn.execute(_SQL["keep_heartbeat"], {"id": worker_id, "idle_seconds": idle_seconds})


def start_draining(conn: Connection, worker_id: UUID) -> None:
    """Mark a worker as draining: it claims no more jobs and finishes those it has."""
    conn.execute(_SQL["start_draining"], {"id": worker_id})


def stop_worker(conn: Connection, worker_id: UUID, *, lost: bool = False) -> None:
    """Mark a worker as stopped, or as lost if it did not return its leases."""
    conn.execute(_SQL["stop_worker"], {"id": worker_id, "state": "lost" if lost else "stopped"})


def count_rejected(conn: Connection, leases: Sequence[Lease]) -> None:
    """Count results that were refused because their lease was lost."""
    params = {
        "workers": [lease.worker_id for lease in leases],
        "pools": [lease.pool for lease in leases],
        "tiers": [int(lease.tier) for lease in leases],
    }
    conn.execute(_SQL["count_rejected"], params)


def delete_old_workers(conn: Connection, days: int) -> None:
    """Delete stopped and lost workers whose last heartbeat was more than `days` days ago."""
    conn.execute(_SQL["delete_old_workers"], {"days": days})


def release_leases(
    conn: Connection, worker_id: UUID, *, except_jobs: Iterable[UUID] = (), held_seconds: float = 0.0
) -> list[UUID]:
    """Release a worker's leases that are at least `held_seconds` old, without using an attempt.

    Jobs in `except_jobs` and locked jobs remain leased. Return the ids of documents whose pipeline was released.
    """
    params = {"id": worker_id, "except_jobs": list(except_jobs), "held_seconds": held_seconds}
    rows = conn.execute(_SQL["release_leases"], params)
    return [row["document_id"] for row in rows if row["document_id"]]


def find_leased_jobs(conn: Connection, worker_id: UUID) -> dict[UUID, int]:
    """Return the jobs leased to a worker, with their fences."""
    return {row["id"]: row["fence"] for row in conn.execute(_SQL["find_leased_jobs"], {"id": worker_id})}


def set_pools(conn: Connection, worker_id: UUID, pools: Sequence[str]) -> None:
    """Record which pools the worker serves."""
    conn.execute(_SQL["set_pools"], {"id": worker_id, "pools": list(pools)})
