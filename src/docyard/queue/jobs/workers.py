"""Workers: who they are, that they live, and how they leave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.model.jobs import Lease, Worker

_SQL = Queries("docyard.queue.jobs", "workers.sql")


def register(conn: Connection, worker: Worker) -> None:
    """Introduce a worker under its id of this boot."""
    conn.execute(_SQL["register"], {**asdict(worker), "pools": list(worker.pools)})


def heartbeat(conn: Connection, worker_id: UUID) -> bool:
    """Say that the worker lives; False means it was declared lost and its jobs belong to others."""
    return conn.execute(_SQL["heartbeat"], {"id": worker_id}).fetchone() is not None


def start_draining(conn: Connection, worker_id: UUID) -> None:
    """Take nothing new from now on."""
    conn.execute(_SQL["start_draining"], {"id": worker_id})


def leave(conn: Connection, worker_id: UUID) -> None:
    """Say goodbye."""
    conn.execute(_SQL["leave"], {"id": worker_id})


def count_rejected(conn: Connection, leases: Sequence[Lease]) -> None:
    """Remember that late results for these leases were refused."""
    given = {
        "workers": [lease.worker_id for lease in leases],
        "pools": [lease.pool for lease in leases],
        "tiers": [int(lease.tier) for lease in leases],
    }
    conn.execute(_SQL["count_rejected"], given)


def forget_workers(conn: Connection, days: int) -> None:
    """Drop workers that ended so many days ago."""
    conn.execute(_SQL["forget_workers"], {"days": days})


def give_back(
    conn: Connection, worker_id: UUID, *, except_jobs: Iterable[UUID] = (), held_seconds: float = 0.0
) -> list[UUID]:
    """Return leases held that long unspent, but for the jobs named; gives the documents concerned."""
    given = {"id": worker_id, "except_jobs": list(except_jobs), "held_seconds": held_seconds}
    rows = conn.execute(_SQL["give_back"], given)
    return [row["document_id"] for row in rows if row["document_id"]]


def held_jobs(conn: Connection, worker_id: UUID) -> dict[UUID, int]:
    """The jobs a worker still holds, each with the fence it was given under."""
    return {row["id"]: row["fence"] for row in conn.execute(_SQL["held_jobs"], {"id": worker_id})}


def serve_pools(conn: Connection, worker_id: UUID, pools: Sequence[str]) -> None:
    """Say which pools the worker serves from now on."""
    conn.execute(_SQL["serve_pools"], {"id": worker_id, "pools": list(pools)})
