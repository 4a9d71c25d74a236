"""The pools that a worker serves; pools may be added and removed while it runs."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from docyard import log, queue
from docyard.db import Database
from docyard.pipeline.embedding_jobs import POOL as EMBED
from docyard.queue import control
from docyard.worker.options import WorkerOptions, filter_pools


def refresh_pools(db: Database, worker_id: UUID, options: WorkerOptions, pools: list[str]) -> list[str]:
    """Return the pools to serve now: current ones in the same order, then new ones; save and log any change.

    If stages were configured, or no pool would be left, the pools do not change.
    """
    if options.stages:
        return pools
    with db.statement() as conn:
        existing = filter_pools(options, control.get_pool_resources(conn))
        if not existing or set(existing) == set(pools):
            return pools
        queue.set_pools(conn, worker_id, existing)
    log.event("pools_changed", worker=worker_id, pools=",".join(existing))
    return [pool for pool in pools if pool in existing] + [pool for pool in existing if pool not in pools]


def is_enrichment(pool: str) -> bool:
    """Return whether the jobs of this pool are optional, so that no document waits for them."""
    return pool == EMBED


def sort_enrichment_last(pools: Iterable[str]) -> list[str]:
    """Return the pools in the same order, except that enrichment pools come last."""
    return sorted(pools, key=is_enrichment)
