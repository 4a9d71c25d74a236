"""The fair claim, which leases pending jobs to workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from psycopg.rows import tuple_row

from docyard.db import Connection, Queries
from docyard.model.jobs import Lease
from docyard.model.tiers import Tier

_SQL = Queries("docyard.queue.jobs", "claims.sql")
_TIERS = {int(tier): tier for tier in Tier}
# The rows of a claim are sent before it commits. A hundred of them fit into the buffers of a connection, so that a
# client that does not read them cannot keep the lock of the pool.
_MAX_ROWS = 100
_PAYLOAD = 8  # the index of the payload in a row of the claim


def claim(conn: Connection, pool: str, worker_id: UUID, limit: int) -> list[Lease]:
    """Lease up to `limit` jobs of a pool. Only an empty list means that no further job can be claimed now."""
    rows: list[tuple[Any, ...]] = []
    while len(rows) < limit:
        params = {"pool": pool, "worker_id": worker_id, "limit": min(_MAX_ROWS, limit - len(rows))}
        with conn.cursor(row_factory=tuple_row) as cursor:
            part = cursor.execute(_SQL["claim"], params).fetchall()
        rows += part
        if len(part) < _MAX_ROWS:
            break
    payloads = _read_payloads(conn, worker_id, [row[0] for row in rows if row[_PAYLOAD] is None])
    return [
        Lease(job_id, fence, worker_id, workspace, pool, kind, stage, document, _TIERS[tier], priority, found, *more)
        for job_id, fence, workspace, kind, stage, document, tier, priority, payload, *more in rows
        # A lease without a payload was lost meanwhile.
        if (found := payloads.get(job_id) if payload is None else payload) is not None
    ]


def _read_payloads(conn: Connection, worker_id: UUID, ids: list[UUID]) -> dict[UUID, Mapping[str, object]]:
    """Return the payloads that the claim left out, read without its locks."""
    if not ids:
        return {}
    rows = conn.execute(_SQL["read_payloads"], {"ids": ids, "worker_id": worker_id})
    return {row["id"]: row["payload"] for row in rows}


def find_pools_with_jobs(conn: Connection, pools: Sequence[str]) -> list[str]:
    """Return the pools among `pools` that may have a pending job; a pool that is not returned has none."""
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
