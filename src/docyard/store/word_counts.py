"""Word counts of workspaces: the number of passages per word, without changes that are not yet added."""

from __future__ import annotations

from docyard.db import Connection, Queries

_SQL = Queries("docyard.store", "word_counts.sql")


def fold_text_changes(conn: Connection, limit: int) -> int:
    """Add at most `limit` changes to the word counts, oldest first; return how many were added."""
    row = conn.execute(_SQL["fold_text_changes"], {"limit": limit}).fetchone()
    return int(row["folded"]) if row else 0


def delete_deleted_passages(conn: Connection, limit: int) -> int:
    """Delete the passages of deleted documents, earliest deleted first; return the number of documents."""
    row = conn.execute(_SQL["delete_deleted_passages"], {"limit": limit}).fetchone()
    return int(row["documents"]) if row else 0
