"""Blockers: transactions that keep locks on Docyard's tables, so that work cannot go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import psycopg
from psycopg.types.json import Jsonb

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.monitor", "blockers.sql")
MIN_SECONDS = 10.0  # the server ends Docyard's own idle transactions after this time


@dataclass(frozen=True, slots=True)
class Blocker:
    """A transaction that holds locks on Docyard's tables; times are None if they are hidden from this role."""

    kind: str  # transaction or prepared transaction
    name: str  # of a prepared transaction
    pid: int | None
    role: str | None
    application: str
    address: str | None
    state: str | None
    tables: list[str]
    blocked: int  # sessions that wait for it
    began_at: str | None
    seconds: float | None
    query_seconds: float | None
    query: str | None

    @property
    def is_urgent(self) -> bool:
        """Whether others wait for it, or it holds its locks without doing anything."""
        return self.blocked > 0 or self.state != "active"


def find_blockers(conn: Connection) -> list[Blocker]:
    """Return the transactions that block work now, at most five; this reads no table of Docyard."""
    try:
        with conn.transaction():
            rows = conn.execute(_SQL["find_blockers"], {"seconds": MIN_SECONDS}).fetchall()
    except psycopg.errors.InsufficientPrivilege:
        return []  # some hosting providers restrict these views
    return [Blocker(**row) for row in rows]


def save_blockers(conn: Connection, blockers: Sequence[Blocker]) -> None:
    """Save blockers for the web app, whose role cannot see the sessions of others."""
    conn.execute(_SQL["save_blockers"], {"blockers": [Jsonb(asdict(blocker)) for blocker in blockers]})


def load_blockers(conn: Connection) -> list[Blocker]:
    """Return the blockers that a worker saved in the last minute, with their current ages."""
    return [_grow_older(Blocker(**row["facts"]), row["age"]) for row in conn.execute(_SQL["load_blockers"])]


def _grow_older(blocker: Blocker, age: float) -> Blocker:
    ages = (blocker.seconds, blocker.query_seconds)
    seconds, query_seconds = (None if each is None else each + age for each in ages)
    return replace(blocker, seconds=seconds, query_seconds=query_seconds)
