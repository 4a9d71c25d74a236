"""Pools and the resources they belong to."""

from __future__ import annotations

from collections.abc import Mapping

import psycopg

from docyard.db import Connection, Queries
from docyard.errors import BadInput
from docyard.model import timeouts

_SQL = Queries("docyard.queue.control", "pools.sql")


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


def ensure_pools(conn: Connection, resources: Mapping[str, str]) -> None:
    """Make pools, each of its resource, in the order of the road; limits of those that are there stay."""
    given = {"names": list(resources), "resources": list(resources.values())}
    conn.execute(_SQL["ensure_pools"], {**given, "deadline": round(timeouts.DEADLINE)})


_WORDS = {
    "pools_resource_known": "The resource of a pool is cpu, ocr, llm or embed.",
    "pools_cap_positive": "A limit must be more than zero; to stop a pool, pause it.",
    "pools_rate_positive": "A limit must be more than zero; to stop a pool, pause it.",
}
