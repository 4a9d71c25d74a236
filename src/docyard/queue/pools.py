"""Pools and the resources they belong to."""

from __future__ import annotations

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue", "board.sql")


def pool_resources(conn: Connection) -> dict[str, str]:
    """Every pool and the resource it needs."""
    return {row["pool"]: row["resource"] for row in conn.execute(_SQL["pool_resources"])}
