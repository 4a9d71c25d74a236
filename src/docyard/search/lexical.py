"""Lexical search over chunks; the transaction's workspace bounds what can be found."""

from __future__ import annotations

from dataclasses import dataclass

from docyard.db import Connection, Queries
from docyard.model.documents import Hit
from docyard.search.wording import tidy

_SQL = Queries("docyard.search", "search.sql")

# The snippet marks its matches with these private-use characters; escape first, then replace them.
MARK_START, MARK_END = "\ue000", "\ue001"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits of one page, and how many documents match in all."""

    hits: list[Hit]
    total: int


def search(conn: Connection, words: str, *, most: int = 20, skipped: int = 0) -> SearchResult:
    """Find documents by words, "exact phrases", OR and -excluded words."""
    given = {"words": tidy(words), "most": most, "skipped": skipped}
    rows = conn.execute(_SQL["search"], given).fetchall()
    hits = [
        Hit(
            document_id=row["document_id"],
            document_name=row["document_name"],
            title=row["title"],
            page=row["page"],
            start=row["start_offset"],
            end=row["end_offset"],
            snippet=row["snippet"],
            score=row["score"],
        )
        for row in rows
    ]
    return SearchResult(hits, rows[0]["total"] if rows else 0)
