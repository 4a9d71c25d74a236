"""Blockers: transactions that keep locks which Docyard needs, so that work cannot go on."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg

from docyard.db import Connection

MIN_SECONDS = 10.0  # the server ends Docyard's own idle transactions after this time
OWN_SECONDS = 20.0  # Docyard itself reads an answer sooner, unless it is suspended


@dataclass(frozen=True, slots=True)
class Blocker:
    """A transaction that holds locks on Docyard's tables, or its advisory locks.

    Times are None if they are hidden from the owner, or if a session holds an advisory lock outside a transaction.
    """

    kind: str  # transaction or prepared transaction
    name: str  # of a prepared transaction
    pid: int | None
    role: str | None
    application: str
    address: str | None
    state: str | None
    tables: list[str]
    purposes: list[str]  # of advisory locks
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
            rows = conn.execute("SELECT * FROM find_blockers(%s, %s)", (MIN_SECONDS, OWN_SECONDS)).fetchall()
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedFunction):
        return []  # some hosting providers restrict the views; doctor reports an outdated schema separately
    return [Blocker(**row) for row in rows]
