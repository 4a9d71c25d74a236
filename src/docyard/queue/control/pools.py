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


@dataclass(frozen=True, slots=True)
class RenewedPool:
    """A pool that is not as it was, with what it needs now and what it needed before; None if it is new."""

    name: str
    resource: str
    resource_before: str | None


@dataclass(frozen=True, slots=True)
class PoolChanges:
    """The pools that were made, and those that are other than before."""

    made: tuple[str, ...] = ()
    changed: tuple[RenewedPool, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.made or self.changed)


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


def registered_pools(conn: Connection, names: Sequence[str]) -> list[NewPool]:
    """What is known of these pools, in the order of the road; those that are missing are left out."""
    return [NewPool(**row) for row in conn.execute(_SQL["registered_pools"], {"names": list(names)})]


def ensure_pools(conn: Connection, pools: Sequence[NewPool]) -> PoolChanges:
    """Make pools, in the order of the road, and renew those that are there; what operators have set stays."""
    names = [pool.name for pool in pools]
    given = {
        "names": names,
        "resources": [pool.resource for pool in pools],
        "gives": [pool.gives for pool in pools],
    }
    rows = conn.execute(_SQL["ensure_pools"], {**given, "deadline": round(timeouts.DEADLINE)})
    renewed = sorted((RenewedPool(**row) for row in rows), key=lambda pool: names.index(pool.name))
    return PoolChanges(
        tuple(pool.name for pool in renewed if pool.resource_before is None),
        tuple(pool for pool in renewed if pool.resource_before is not None),
    )


_WORDS = {
    "pools_resource_known": "The resource of a pool is cpu, ocr, llm or embed.",
    "pools_cap_positive": "A limit must be more than zero; to stop a pool, pause it.",
    "pools_rate_positive": "A limit must be more than zero; to stop a pool, pause it.",
}
