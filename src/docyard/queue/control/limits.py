"""Pauses and limits of pools, tiers and workspaces, which apply to all hosts."""

from __future__ import annotations

import psycopg

from docyard.db import Connection, Queries
from docyard.errors import BadInput, NotFound
from docyard.queue.control.breaker import close_breaker

_SQL = Queries("docyard.queue.control", "limits.sql")
PAUSABLE_KINDS = ("pool", "tier", "workspace")
DEFAULT_RETRIES = 1000  # default retry budget of a workspace per period
DEFAULT_PERIOD_MINUTES = 60


def pause(conn: Connection, kind: str, name: str) -> None:
    """Stop claims from a pool, tier or workspace; running jobs finish and pending ones keep their order."""
    _set(conn, f"pause_{kind}", kind, {"name": name, "paused": True})


def resume(conn: Connection, kind: str, name: str) -> None:
    """Allow claims from a pool, tier or workspace again; this also closes the breaker of a pool."""
    _set(conn, f"pause_{kind}", kind, {"name": name, "paused": False})
    if kind == "pool":
        close_breaker(conn, name)
    conn.execute(_SQL["lift_empty_limits"])


def limit_pool(conn: Connection, name: str, *, max_running: int | None, rate: float | None, burst: int = 1) -> None:
    """Limit how many jobs of a pool run concurrently and start per second; None removes a limit."""
    _set(conn, "limit_pool", "pool", {"name": name, "max_running": max_running, "rate": rate, "burst": burst})


def limit_workspace(conn: Connection, name: str, *, max_running: int | None) -> None:
    """Limit how many jobs of a workspace run concurrently in each pool; None removes the limit."""
    _set(conn, "limit_workspace", "workspace", {"name": name, "max_running": max_running})
    conn.execute(_SQL["lift_empty_limits"])


def limit_retries(conn: Connection, name: str, *, retries: int | None = None, minutes: int | None = None) -> None:
    """Set the retry budget of a workspace and the length of its period; None means the default."""
    params = {"limit": DEFAULT_RETRIES if retries is None else retries, "name": name}
    params["minutes"] = DEFAULT_PERIOD_MINUTES if minutes is None else minutes
    _set(conn, "limit_retries", "workspace", params)


def _set(conn: Connection, query: str, kind: str, params: dict[str, object]) -> None:
    try:
        row = conn.execute(_SQL[query], params).fetchone()
    except (psycopg.errors.CheckViolation, psycopg.errors.DataError) as error:
        raise BadInput(f"A limit must be greater than zero. To stop a {kind}, pause it.") from error
    if row is None:
        raise NotFound(f"There is no {kind} {params['name']!r}.")
