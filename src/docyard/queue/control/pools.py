"""Pools and the resources they use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg

from docyard.db import Connection, Queries
from docyard.errors import BadInput
from docyard.model import timeouts

_SQL = Queries("docyard.queue.control", "pools.sql")


@dataclass(frozen=True, slots=True)
class NewPool:
    """The definition of a pool; `gives` is the type of value that the pool's stage produces."""

    name: str
    resource: str
    gives: str | None = None


@dataclass(frozen=True, slots=True)
class ChangedPool:
    """A new or changed pool; `resource_before` is its previous resource, or None if the pool is new."""

    name: str
    resource: str
    resource_before: str | None


@dataclass(frozen=True, slots=True)
class PoolChanges:
    """The pools that were created, and those whose definition changed."""

    made: tuple[str, ...] = ()
    changed: tuple[ChangedPool, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.made or self.changed)


def get_pool_resources(conn: Connection) -> dict[str, str]:
    """Return a dictionary from pool name to resource."""
    return {row["pool"]: row["resource"] for row in conn.execute(_SQL["get_pool_resources"])}


def create_pool(
    conn: Connection, name: str, resource: str, *, max_running: int | None, rate: float | None, burst: int
) -> bool:
    """Create a pool with these limits; return False and change nothing if it already exists.

    Raise BadInput if the existing pool uses another resource, or if a limit is invalid.
    """
    limits = {"max_running": max_running, "rate": rate, "burst": burst, "deadline": round(timeouts.DEADLINE)}
    try:
        row = conn.execute(_SQL["create_pool"], {"name": name, "resource": resource, **limits}).fetchone()
    except psycopg.errors.CheckViolation as error:
        raise BadInput(_MESSAGES.get(error.diag.constraint_name or "", str(error))) from error
    existing = get_pool_resources(conn)[name]
    if existing != resource:
        raise BadInput(f"The pool {name!r} already exists and uses the resource {existing}, not {resource}.")
    return row is not None


def find_pools(conn: Connection, names: Sequence[str]) -> list[NewPool]:
    """Return the pools with these names that exist, in the order of their stages in the pipeline."""
    return [NewPool(**row) for row in conn.execute(_SQL["find_pools"], {"names": list(names)})]


def ensure_pools(conn: Connection, pools: Sequence[NewPool]) -> PoolChanges:
    """Create or update pools, given in pipeline order; return the changes. Pauses and limits are kept."""
    names = [pool.name for pool in pools]
    params = {"names": names, "resources": [pool.resource for pool in pools], "gives": [pool.gives for pool in pools]}
    rows = conn.execute(_SQL["ensure_pools"], {**params, "deadline": round(timeouts.DEADLINE)})
    renewed = sorted((ChangedPool(**row) for row in rows), key=lambda pool: names.index(pool.name))
    return PoolChanges(
        tuple(pool.name for pool in renewed if pool.resource_before is None),
        tuple(pool for pool in renewed if pool.resource_before is not None),
    )


_MESSAGES = {
    "pools_resource_known": "The resource of a pool must be cpu, ocr, llm or embed.",
    "pools_cap_positive": "A limit must be greater than zero. To stop a pool, pause it.",
    "pools_rate_positive": "A limit must be greater than zero. To stop a pool, pause it.",
}
