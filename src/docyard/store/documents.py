"""The registry of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.errors import NotFound
from docyard.model import failures
from docyard.model.documents import Document, NewDocument, Receipt
from docyard.model.failures import Ending
from docyard.model.tiers import Tier

_SQL = Queries("docyard.store", "documents.sql")
_FEW_TAGGED = 1000
NOT_SURE = "not_sure"  # what documents without a clear type are asked for by
_COLUMNS = [column.name for column in fields(Document)]


def insert_document(conn: Connection, new: NewDocument) -> Receipt:
    """Make the document, or say which one already has this content."""
    given = {**asdict(new), "tags": list(new.tags), "tier": int(new.tier)}
    row = conn.execute(_SQL["insert_document"], given).fetchone()
    if row:
        return Receipt(row["id"], row["name"], duplicate=False)
    # The other upload may have been deleted in between; then this one is simply tried again.
    row = conn.execute(_SQL["document_with_content"], given).fetchone()
    return Receipt(row["id"], row["name"], duplicate=True) if row else insert_document(conn, new)


def get_document(conn: Connection, document_id: UUID) -> Document:
    """One document, or NotFound."""
    row = conn.execute(_SQL["get_document"], {"id": document_id}).fetchone()
    if row is None:
        raise NotFound("There is no such document.")
    return _document(row)


def get_documents(conn: Connection, document_ids: Sequence[UUID]) -> list[Document]:
    """Several documents, in the order of their arrival, without what only their pages show."""
    return [_document(row) for row in conn.execute(_SQL["get_documents"], {"ids": list(document_ids)})]


def attached_documents(conn: Connection, workspace_id: UUID, entity_type: str, entity_id: str) -> list[UUID]:
    """The documents attached to an outside thing, the oldest first."""
    given = {"workspace_id": workspace_id, "entity_type": entity_type, "entity_id": entity_id}
    return [row["id"] for row in conn.execute(_SQL["attached_documents"], given)]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which documents to list: those in a status, of a type, with a tag, in a folder; None for all."""

    status: str | None = None
    type: str | None = None
    tag: str | None = None
    folder: str | None = None


ALL = Wanted()


def list_documents(
    conn: Connection, workspace_id: UUID, wanted: Wanted = ALL, *, below: int | None = None, most: int = 50
) -> list[Document]:
    """Documents of a workspace, newest first; `NOT_SURE` is a type to ask for like any other."""
    unsure = wanted.type == NOT_SURE
    given = {**asdict(wanted), "type": None if unsure else wanted.type, "unsure": unsure}
    given |= {"workspace_id": workspace_id, "below": below, "most": most, "ids": _tagged(conn, wanted.tag)}
    query = "newest_documents" if given["ids"] is None else "newest_among"
    ids = [row["id"] for row in conn.execute(_SQL[query], given)]
    return [_document(row) for row in conn.execute(_SQL["list_documents"], {"ids": ids})]


def _tagged(conn: Connection, tag: str | None) -> list[UUID] | None:
    """The documents that have a tag; None without a tag, and where so many have it that it narrows little."""
    if tag is None:
        return None
    row = conn.execute(_SQL["tagged_documents"], {"tag": tag, "up_to": _FEW_TAGGED}).fetchone()
    return row["ids"] if row else None


def completed_documents(
    conn: Connection, workspace_id: UUID, above: int, most: int
) -> list[tuple[int, UUID]]:
    """Sequence numbers and ids of completed documents, the oldest first."""
    given = {"workspace_id": workspace_id, "above": above, "most": most}
    return [(row["seq"], row["id"]) for row in conn.execute(_SQL["completed_documents"], given)]


def count_documents(conn: Connection, workspace_id: UUID) -> dict[str, int]:
    """How many documents there are in each status."""
    rows = conn.execute(_SQL["count_documents"], {"workspace_id": workspace_id})
    return {row["status"]: row["documents"] for row in rows}


def count_types(conn: Connection, workspace_id: UUID) -> dict[str, int]:
    """How many documents there are of each type, the most frequent first."""
    rows = conn.execute(_SQL["count_types"], {"workspace_id": workspace_id})
    return {row["type"] or NOT_SURE: row["documents"] for row in rows}


def unsettled_documents(
    conn: Connection,
    workspace_id: UUID,
    names: Sequence[str],
    most: int | None = None,
    *,
    classified_by: Sequence[str],
) -> list[UUID]:
    """Documents that these stages classified and that are of none of these types, the first of them first."""
    given = {"workspace_id": workspace_id, "names": list(names), "most": most, "stages": list(classified_by)}
    return [row["id"] for row in conn.execute(_SQL["unsettled_documents"], given)]


def start_attempt(conn: Connection, document_id: UUID, stage: str) -> bool:
    """A worker begins; False when the document was deleted meanwhile."""
    return conn.execute(_SQL["start_attempt"], {"id": document_id, "stage": stage}).fetchone() is not None


def note_progress(conn: Connection, document_id: UUID, stage: str, seconds: float) -> None:
    """One stage is done and the next one begins."""
    conn.execute(_SQL["note_progress"], {"id": document_id, "stage": stage, "seconds": seconds})


def mark_completed(
    conn: Connection,
    document_id: UUID,
    seconds: float,
    *,
    category: str | None = None,
    reason: str | None = None,
) -> None:
    """The document is usable, perhaps with something left out."""
    if category:
        retryable = failures.category(category).ending is not Ending.NOTED
    else:  # nothing was left out, and only a missing title is worth another try
        retryable = not _is_titled(conn, document_id)
    given = {"id": document_id, "seconds": seconds, "category": category, "reason": reason}
    conn.execute(_SQL["mark_completed"], {**given, "retryable": retryable})


def _is_titled(conn: Connection, document_id: UUID) -> bool:
    return conn.execute(_SQL["is_titled"], {"id": document_id}).fetchone() == {"titled": True}


def mark_failed(conn: Connection, document_id: UUID, seconds: float, *, category: str, reason: str) -> None:
    """The document cannot be read."""
    given = {"id": document_id, "seconds": seconds, "category": category, "reason": reason}
    conn.execute(_SQL["mark_failed"], {**given, "retryable": failures.category(category).retry})


def mark_cancelled(conn: Connection, document_ids: Sequence[UUID], *, reason: str) -> None:
    """Somebody stopped the work on the documents."""
    conn.execute(_SQL["mark_cancelled"], {"ids": list(document_ids), "reason": reason})


def restart(conn: Connection, document_ids: Sequence[UUID]) -> None:
    """The documents are in the queue again because a person asked, and get their whole time again."""
    conn.execute(_SQL["restart"], {"ids": list(document_ids)})


def mark_waiting(
    conn: Connection,
    document_id: UUID,
    seconds: float = 0,
    *,
    category: str | None = None,
    reason: str | None = None,
) -> None:
    """The document is in the queue again."""
    given = {"id": document_id, "seconds": seconds, "category": category, "reason": reason}
    conn.execute(_SQL["mark_waiting"], given)


def add_note(conn: Connection, document_id: UUID, note: str) -> None:
    """Say what could not be read, in words for the document's page."""
    conn.execute(_SQL["add_note"], {"id": document_id, "note": note})


def reset_running_time(conn: Connection, document_id: UUID) -> None:
    """Give a document its whole processing time again."""
    conn.execute(_SQL["reset_running_time"], {"id": document_id})


def delete_document(conn: Connection, document_id: UUID) -> None:
    """Hide a document; its work is ended by the queue."""
    if conn.execute(_SQL["delete_document"], {"id": document_id}).fetchone() is None:
        raise NotFound("There is no such document.")


def _document(row: dict[str, Any]) -> Document:
    values = {name: row[name] for name in _COLUMNS}
    values.update(tier=Tier(row["tier"]), notes=tuple(row["notes"]))
    values.update(tags=tuple(row["tags"]), found_tags=tuple(row["found_tags"]))
    return Document(**values)
