"""The plans that PostgreSQL executed, including those within functions, as reported by auto_explain."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from psycopg.errors import Diagnostic

from docyard.db import Connection

Node = dict[str, Any]

_SETTINGS = {
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_format": "json",
    "client_min_messages": "log",
}


@contextmanager
def record_plans(conn: Connection) -> Iterator[list[Node]]:
    """Collect every node of every plan executed in the block; requires superuser privileges."""
    nodes: list[Node] = []

    def collect(diagnostic: Diagnostic) -> None:
        message = diagnostic.message_primary or ""
        if "plan:" in message:
            nodes.extend(_flatten(json.loads(message.partition("plan:")[2])["Plan"]))

    conn.execute("LOAD 'auto_explain'")
    for name, value in _SETTINGS.items():
        conn.execute("SELECT set_config(%s, %s, false)", (name, value))
    conn.add_notice_handler(collect)
    try:
        yield nodes
    finally:
        conn.remove_notice_handler(collect)


def _flatten(node: Node) -> Iterator[Node]:
    yield node
    for child in node.get("Plans", []):
        yield from _flatten(child)


def find_table_nodes(nodes: list[Node], table: str) -> list[Node]:
    """Return the nodes that read this table."""
    return [n for n in nodes if n.get("Relation Name") == table and n["Node Type"] != "ModifyTable"]


def count_rows_read(node: Node) -> int:
    """Return the number of rows that the node read in all its loops, including those it discarded."""
    discarded = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    rows: float = (node["Actual Rows"] + discarded) * node["Actual Loops"]
    return round(rows)


def count_sorted_rows(nodes: list[Node]) -> list[int]:
    """Return the number of input rows of each sort."""
    return [count_rows_read(n["Plans"][0]) for n in nodes if n["Node Type"] in ("Sort", "Incremental Sort")]
