"""In how many passages of a workspace each word stands: exact, but for what is not yet added up."""

from __future__ import annotations

from docyard.db import Connection, Queries

_SQL = Queries("docyard.store", "words.sql")


def fold_text_changes(conn: Connection, most: int) -> int:
    """Add up changes, the oldest first; gives how many there were."""
    row = conn.execute(_SQL["fold_text_changes"], {"most": most}).fetchone()
    return int(row["folded"]) if row else 0


def forget_deleted(conn: Connection, most: int) -> int:
    """Drop the passages of deleted documents, the first deleted first; gives how many documents that were."""
    row = conn.execute(_SQL["forget_deleted"], {"most": most}).fetchone()
    return int(row["documents"]) if row else 0
