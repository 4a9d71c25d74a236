"""Dead letters: jobs that will not run again by themselves, kept with every attempt and the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.errors import NotFound
from docyard.model.jobs import DeadLetter

_SQL = Queries("docyard.queue.jobs", "dead_letters.sql")


@dataclass(frozen=True, slots=True)
class Cause:
    """Letters that died of the same cause, counted."""

    fingerprint: str
    category: str
    stage: str
    letters: int
    example: str
    latest: datetime


def dead_letters(
    conn: Connection, *, category: str | None = None, cause: str | None = None, most: int = 100
) -> list[DeadLetter]:
    """The newest dead letters, of one category or cause (a fingerprint or its beginning) if named."""
    return _letters(conn, category=category, cause=cause, most=most)


def dead_letter_ids(conn: Connection, *, category: str | None = None, cause: str | None = None) -> list[UUID]:
    """Every dead letter of a category or cause, or of all."""
    rows = conn.execute(_SQL["dead_letter_ids"], {"category": category, "cause": cause})
    return [row["id"] for row in rows]


def letters_of_document(conn: Connection, document_id: UUID) -> list[DeadLetter]:
    """The dead letters of one document."""
    return _letters(conn, document_id=document_id)


def letters_by_id(conn: Connection, ids: Sequence[UUID]) -> list[DeadLetter]:
    """Those of these letters that are still there, newest first."""
    return _letters(conn, ids=list(ids), most=len(ids))


def dead_letter(conn: Connection, letter_id: UUID) -> DeadLetter:
    """One dead letter, or NotFound."""
    found = letters_by_id(conn, [letter_id])
    if not found:
        raise NotFound("There is no such dead letter.")
    return found[0]


def dead_causes(conn: Connection, most: int = 50) -> list[Cause]:
    """What letters died of, most frequent first."""
    return [Cause(**row) for row in conn.execute(_SQL["dead_causes"], {"most": most, "fingerprint": None})]


def dead_cause(conn: Connection, fingerprint: str) -> Cause | None:
    """One cause, while letters of it are left."""
    row = conn.execute(_SQL["dead_causes"], {"most": 1, "fingerprint": fingerprint}).fetchone()
    return Cause(**row) if row else None


def discard(conn: Connection, ids: Sequence[UUID]) -> list[UUID]:
    """Give letters up for good; gives those that were there."""
    return [row["id"] for row in conn.execute(_SQL["discard"], {"ids": list(ids)})]


def replay(conn: Connection, ids: Sequence[UUID]) -> list[tuple[UUID, UUID | None]]:
    """Put letters back into the queue; gives the job and document of each that went."""
    return [(row["id"], row["document_id"]) for row in conn.execute(_SQL["replay"], {"ids": list(ids)})]


def _letters(conn: Connection, **given: object) -> list[DeadLetter]:
    everything = {"category": None, "cause": None, "ids": None, "document_id": None, "most": 100}
    rows = conn.execute(_SQL["dead_letters"], {**everything, **given})
    return [DeadLetter(**{**row, "failure_history": tuple(row["failure_history"])}) for row in rows]
