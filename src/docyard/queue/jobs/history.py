"""The history of finished jobs, in daily partitions that are created in advance and dropped as a whole."""

from __future__ import annotations

from psycopg import sql
from psycopg.rows import DictRow

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.jobs", "history.sql")


def ensure_partitions(conn: Connection) -> list[str]:
    """Create missing partitions for today and the next three days; return the names of the new ones."""
    conn.execute(_SQL["be_brief"])
    if conn.execute(_SQL["lock_partitions"]).fetchone() != {"ours": True}:
        return []
    created = []
    for day in _find_missing_days(conn):
        name = f"job_history_{day['name']}"
        _create_partition(conn, name, f"{day['starts']} 00:00:00+00", f"{day['ends']} 00:00:00+00")
        created.append(name)
    return created


def _find_missing_days(conn: Connection) -> list[DictRow]:
    missing = [day for day in conn.execute(_SQL["wanted_days"]) if not day["has_partition"]]
    if missing:
        conn.execute(_SQL["lock_default"])
    return missing


def prune_history(conn: Connection, days: int) -> list[str]:
    """Delete history older than `days` days; return the names of the dropped partitions."""
    conn.execute(_SQL["be_brief"])
    names = [row["name"] for row in conn.execute(_SQL["old_partitions"], {"days": days})]
    for name in names:
        conn.execute(sql.SQL(_SQL["drop_partition"].decode()).format(name=sql.Identifier(name)))
    conn.execute(_SQL["prune_default"], {"days": days})
    return names


def _create_partition(conn: Connection, name: str, starts: str, ends: str) -> None:
    """Create a partition and move its rows from the default partition; otherwise it cannot be attached."""
    values = {"name": sql.Identifier(name), "starts": sql.Literal(starts), "ends": sql.Literal(ends)}
    for statement in _SQL["create_partition"].decode().split(";"):
        conn.execute(sql.SQL(statement).format(**values))
