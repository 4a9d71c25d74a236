"""The history of finished jobs, in daily partitions that are created in advance and dropped as a whole."""

from __future__ import annotations

from psycopg import sql
from psycopg.rows import DictRow

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue.jobs", "history.sql")
_BLOCKS_PER_STEP = 200  # a few thousand rows


def ensure_partitions(conn: Connection) -> list[str]:
    """Create missing partitions for today and the next three days; return the names of the new ones.

    If today's partition is missing and the default partition has rows, an empty one replaces it. The caller
    then calls `return_detached_rows`, in separate transactions.
    """
    conn.execute(_SQL["be_brief"])
    if conn.execute(_SQL["lock_partitions"]).fetchone() != {"ours": True}:
        return []
    wanted = conn.execute(_SQL["wanted_days"]).fetchall()
    # Settlements use the default partition only if today's is missing, so otherwise they need not wait.
    if not wanted[0]["has_partition"] and not _empty_default(conn):
        return []
    return [_create_partition(conn, day) for day in wanted if not day["has_partition"]]


def return_detached_rows(conn: Connection, end: int | None = None) -> int:
    """Return rows of a replaced default partition to the history, from those before block `end` on, newest first.

    Return the next `end`; it is 0 if no rows are left, and the detached partition is then dropped.
    """
    if end is None:
        row = conn.execute(_SQL["count_detached_blocks"]).fetchone()
        if row is None or row["blocks"] is None:
            return 0
        end = int(row["blocks"])
    first = max(0, end - _BLOCKS_PER_STEP)
    conn.execute(_SQL["return_blocks"], {"first": first, "end": end})
    if first == 0:
        conn.execute(_SQL["drop_detached"])
    return first


def _empty_default(conn: Connection) -> bool:
    """Lock the history, and make sure that its default partition is empty; return False if that must wait."""
    conn.execute(_SQL["lock_history"])
    found = conn.execute(_SQL["get_stray_rows"]).fetchone()
    if not found or not found["strays"]:
        return True
    if found["detached"]:
        return False
    for statement in _SQL["detach_default"].decode().split(";"):
        conn.execute(statement.encode())
    return True


def prune_history(conn: Connection, days: int) -> list[str]:
    """Delete history older than `days` days; return the names of the dropped partitions."""
    conn.execute(_SQL["be_brief"])
    names = [row["name"] for row in conn.execute(_SQL["old_partitions"], {"days": days})]
    for name in names:
        conn.execute(sql.SQL(_SQL["drop_partition"].decode()).format(name=sql.Identifier(name)))
    conn.execute(_SQL["prune_default"], {"days": days})
    return names


def _create_partition(conn: Connection, day: DictRow) -> str:
    """Create the partition of a day; return its name."""
    name = f"job_history_{day['name']}"
    bounds = {"starts": f"{day['starts']} 00:00:00+00", "ends": f"{day['ends']} 00:00:00+00"}
    values = {"name": sql.Identifier(name), **{key: sql.Literal(value) for key, value in bounds.items()}}
    for statement in _SQL["create_partition"].decode().split(";"):
        conn.execute(sql.SQL(statement).format(**values))
    return name
