"""Pools and the resources they belong to."""

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
    """A pool that the program needs; the pool of a stage knows which value the stage gives."""

    name: str
    resource: str
    gives: str | None = None


def pool_resources(conn: Connection) -> dict[str, str]:
    """Every pool and the resource it needs."""
    return {row["pool"]: row["resource"] for row in conn.execute(_SQL["pool_resources"])}


def create_pool(
    conn: Connection, name: str, resource: str, *, max_running: int | None, rate: float | None, burst: int
) -> bool:
    """Make a pool with these limits; one that is there keeps its own, and False is given."""
    limits = {"max_running": max_running, "rate": rate, "burst": burst, "deadline": round(timeouts.DEADLINE)}
    try:
        made = conn.execute(_SQL["create_pool"], {"name": name, "resource": resource, **limits}).fetchone()
    except psycopg.errors.CheckViolation as error:
        raise BadInput(_WORDS.get(error.diag.constraint_name or "", str(error))) from error
    needs = pool_resources(conn)[name]
    if needs != resource:
        raise BadInput(f"The pool {name!r} is there already and needs {needs}, not {resource}.")
    return made is not None


def ensure_pools(conn: Connection, pools: Sequence[NewPool]) -> list[str]:
    """Make pools, in the order of the road, and name the new ones; limits of those that are there stay."""
    there = pool_resources(conn)
    given = {
        "names": [pool.name for pool in pools],
        "resources": [pool.resource for pool in pools],
        "gives": [pool.gives for pool in pools],
    }
    conn.execute(_SQL["ensure_pools"], {**given, "deadline": round(timeouts.DEADLINE)})
    return [pool.name for pool in pools if pool.name not in there]


_WORDS = {
    "pools_resource_known": "The resource of a pool is cpu, ocr, llm or embed.",
    "pools_cap_positive": "A limit must be more than zero; to stop a pool, pause it.",
    "pools_rate_positive": "A limit must be more than zero; to stop a pool, pause it.",
}
