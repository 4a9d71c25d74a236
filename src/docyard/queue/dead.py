"""Dead letters: jobs that will not run again by themselves, kept with every attempt and the reason."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.model.jobs import DeadLetter

_SQL = Queries("docyard.queue", "dead.sql")


def dead_letters(conn: Connection, *, category: str | None = None, most: int = 100) -> list[DeadLetter]:
    """The newest dead letters, of one category if named."""
    return _letters(conn, category=category, document_id=None, most=most)


def letters_of_document(conn: Connection, document_id: UUID) -> list[DeadLetter]:
    """The dead letters of one document."""
    return _letters(conn, category=None, document_id=document_id, most=100)


def replay(conn: Connection, ids: Sequence[UUID]) -> list[tuple[UUID, UUID | None]]:
    """Put letters back into the queue; gives the job and document of each that went."""
    return [(row["id"], row["document_id"]) for row in conn.execute(_SQL["replay"], {"ids": list(ids)})]


def _letters(conn: Connection, **given: object) -> list[DeadLetter]:
    rows = conn.execute(_SQL["dead_letters"], given)
    return [DeadLetter(**{**row, "failure_history": tuple(row["failure_history"])}) for row in rows]
