"""The fair claim, which leases pending jobs to workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from psycopg.rows import tuple_row

from docyard.db import Connection, Queries
from docyard.model.jobs import Lease
from docyard.model.tiers import Tier

_SQL = Queries("docyard.queue.jobs", "claims.sql")
_TIERS = {int(tier): tier for tier in Tier}


def claim(conn: Connection, pool: str, worker_id: UUID, limit: int) -> list[Lease]:
    """Lease up to `limit` jobs of a pool. Only an empty list means that no further job can be claimed now."""
    params = {"pool": pool, "worker_id": worker_id, "limit": limit}
    with conn.cursor(row_factory=tuple_row) as cursor:
        return [
            Lease(job_id, fence, worker_id, workspace, name, kind, stage, document, _TIERS[tier], *more)
            for job_id, fence, workspace, name, kind, stage, document, tier, *more in cursor.execute(
                _SQL["claim"], params
            )
        ]


def find_pools_with_jobs(conn: Connection, pools: Sequence[str]) -> list[str]:
    """Return the pools among `pools` that have a pending job."""
    return [row["pool"] for row in conn.execute(_SQL["find_pools_with_jobs"], {"pools": list(pools)})]


def make_lease(row: dict[str, Any], worker_id: UUID) -> Lease:
    """Return a lease built from a row of `jobs`."""
    return Lease(
        job_id=row["id"],
        fence=row["fence"],
        worker_id=worker_id,
        workspace_id=row["workspace_id"],
        pool=row["pool"],
        type=row["type"],
        stage=row["stage"],
        document_id=row["document_id"],
        tier=Tier(row["tier"]),
        priority=row["priority"],
        payload=row["payload"],
        attempts=row["attempts"],
        max_attempts=row["max_attempts"],
        arrived_at=row["arrived_at"],
        children=row["children"],
        children_failed=row["children_failed"],
    )
