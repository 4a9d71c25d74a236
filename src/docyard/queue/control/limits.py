"""What an operator holds back: pools, tiers and workspaces, paused or limited, on all hosts at once."""

from __future__ import annotations

import psycopg

from docyard.db import Connection, Queries
from docyard.errors import BadInput, NotFound
from docyard.queue.control.breaker import close_breaker

_SQL = Queries("docyard.queue.control", "limits.sql")
KINDS = ("pool", "tier", "workspace")
RETRIES = 1000  # what a workspace is granted unless an operator says otherwise
PERIOD_MINUTES = 60


def pause(conn: Connection, kind: str, name: str) -> None:
    """Start nothing more of it; what runs is finished, what waits keeps its place."""
    _set(conn, f"pause_{kind}", kind, {"name": name, "paused": True})


def resume(conn: Connection, kind: str, name: str) -> None:
    """Go on with it; a pool at once, whatever its breaker thinks."""
    _set(conn, f"pause_{kind}", kind, {"name": name, "paused": False})
    if kind == "pool":
        close_breaker(conn, name)
    conn.execute(_SQL["lift_empty_limits"])


def limit_pool(
    conn: Connection, name: str, *, max_running: int | None, rate: float | None, burst: int = 1
) -> None:
    """Bound how many jobs of a pool run at once and how many start a second; None lifts a bound."""
    _set(conn, "limit_pool", "pool", {"name": name, "max_running": max_running, "rate": rate, "burst": burst})


def limit_workspace(conn: Connection, name: str, *, max_running: int | None) -> None:
    """Bound how many jobs of a workspace run at once in each pool; None lifts the bound."""
    _set(conn, "limit_workspace", "workspace", {"name": name, "max_running": max_running})
    conn.execute(_SQL["lift_empty_limits"])


def limit_retries(
    conn: Connection, name: str, *, retries: int | None = None, minutes: int | None = None
) -> None:
    """Set how many retries a workspace is granted in each period; None means the usual."""
    given = {"most": RETRIES if retries is None else retries, "name": name}
    given["minutes"] = PERIOD_MINUTES if minutes is None else minutes
    _set(conn, "limit_retries", "workspace", given)


def _set(conn: Connection, query: str, kind: str, given: dict[str, object]) -> None:
    try:
        found = conn.execute(_SQL[query], given).fetchone()
    except (psycopg.errors.CheckViolation, psycopg.errors.DataError) as error:
        raise BadInput("A limit must be more than zero; to stop it, pause it.") from error
    if found is None:
        raise NotFound(f"There is no {kind} {given['name']!r}.")
