"""Pools come and go while a worker runs; it serves those there are."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from docyard import log, queue
from docyard.db import Database
from docyard.pipeline.embedding_jobs import POOL as EMBED
from docyard.queue import control
from docyard.worker.options import WorkerOptions, asked_pools


def refreshed_pools(db: Database, worker_id: UUID, options: WorkerOptions, pools: list[str]) -> list[str]:
    """The pools to serve from now on, in the order of their turns; named stages stay as they were named."""
    if options.stages:
        return pools
    with db.statement() as conn:
        there = asked_pools(options, control.pool_resources(conn))
        if not there or set(there) == set(pools):
            return pools
        queue.serve_pools(conn, worker_id, there)
    log.event("pools_changed", worker=worker_id, pools=",".join(there))
    return [pool for pool in pools if pool in there] + [pool for pool in there if pool not in pools]


def is_enrichment(pool: str) -> bool:
    """Whether nobody waits for the jobs of this pool."""
    return pool == EMBED


def enrichment_last(pools: Iterable[str]) -> list[str]:
    """The pools in the order of their turns, but those that nobody waits for at the end."""
    return sorted(pools, key=is_enrichment)
