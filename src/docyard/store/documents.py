"""The table of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.errors import NotFound
from docyard.model import failures
from docyard.model.documents import Document, NewDocument, Receipt
from docyard.model.tiers import Tier

_SQL = Queries("docyard.store", "documents.sql")
_MAX_TAGGED = 1000  # if more documents have a tag, the newest documents are scanned for it
NOT_SURE = "not_sure"  # filter value for completed documents that have pages but no type
_COLUMNS = [column.name for column in fields(Document)]


def insert_document(conn: Connection, new: NewDocument) -> Receipt:
    """Insert a document unless its content exists; return a receipt for the new or existing document."""
    params = {**asdict(new), "tags": list(new.tags), "tier": int(new.tier)}
    row = conn.execute(_SQL["insert_document"], params).fetchone()
    if row:
        return Receipt(row["id"], row["name"], duplicate=False)
    # If the existing document was deleted meanwhile, the insert is retried.
    row = conn.execute(_SQL["document_with_content"], params).fetchone()
    return Receipt(row["id"], row["name"], duplicate=True) if row else insert_document(conn, new)


def get_document(conn: Connection, document_id: UUID) -> Document:
    """Return a document; raise NotFound if it does not exist or is deleted."""
    row = conn.execute(_SQL["get_document"], {"id": document_id}).fetchone()
    if row is None:
        raise NotFound("There is no such document.")
    return _make_document(row)


def get_documents(conn: Connection, document_ids: Sequence[UUID]) -> list[Document]:
    """Return documents in order of arrival, without `retried`, `retry_at`, `left_out` and `folder`."""
    return [_make_document(row) for row in conn.execute(_SQL["get_documents"], {"ids": list(document_ids)})]


def list_attached_documents(conn: Connection, workspace_id: UUID, entity_type: str, entity_id: str) -> list[UUID]:
    """Return the ids of the documents attached to an external entity, oldest first."""
    params = {"workspace_id": workspace_id, "entity_type": entity_type, "entity_id": entity_id}
    return [row["id"] for row in conn.execute(_SQL["list_attached_documents"], params)]


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Filters of a document list by status, type, tag and folder; None means any."""

    status: str | None = None
    type: str | None = None
    tag: str | None = None
    folder: str | None = None


ALL = DocumentFilter()


def list_documents(
    conn: Connection, workspace_id: UUID, wanted: DocumentFilter = ALL, *, below: int | None = None, limit: int = 50
) -> list[Document]:
    """Return documents of a workspace, newest first; the type `NOT_SURE` selects those without a type."""
    without_type = wanted.type == NOT_SURE
    params = {**asdict(wanted), "type": None if without_type else wanted.type, "unsure": without_type}
    params |= {"workspace_id": workspace_id, "below": below, "limit": limit}
    params["ids"] = _find_tagged(conn, wanted.tag)
    query = "newest_documents" if params["ids"] is None else "newest_among"
    ids = [row["id"] for row in conn.execute(_SQL[query], params)]
    return [_make_document(row) for row in conn.execute(_SQL["list_documents"], {"ids": ids})]


def _find_tagged(conn: Connection, tag: str | None) -> list[UUID] | None:
    """Return the ids of documents with the tag; None without a tag, or if more than `_MAX_TAGGED` have it."""
    if tag is None:
        return None
    row = conn.execute(_SQL["tagged_documents"], {"tag": tag, "up_to": _MAX_TAGGED}).fetchone()
    return row["ids"] if row else None


def list_completed_documents(conn: Connection, workspace_id: UUID, above: int, limit: int) -> list[tuple[int, UUID]]:
    """Return sequence numbers and ids of completed documents, oldest first."""
    params = {"workspace_id": workspace_id, "above": above, "limit": limit}
    return [(row["seq"], row["id"]) for row in conn.execute(_SQL["list_completed_documents"], params)]


def count_documents(conn: Connection, workspace_id: UUID) -> dict[str, int]:
    """Count the documents of a workspace by status."""
    rows = conn.execute(_SQL["count_documents"], {"workspace_id": workspace_id})
    return {row["status"]: row["documents"] for row in rows}


def count_types(conn: Connection, workspace_id: UUID) -> dict[str, int]:
    """Count the documents of a workspace by type or `NOT_SURE`, most frequent first."""
    rows = conn.execute(_SQL["count_types"], {"workspace_id": workspace_id})
    return {row["type"] or NOT_SURE: row["documents"] for row in rows}


def find_documents_to_reclassify(
    conn: Connection,
    workspace_id: UUID,
    names: Sequence[str],
    limit: int | None = None,
    *,
    classified_by: Sequence[str],
) -> list[UUID]:
    """Return ids of completed documents that these stages classified and whose type is not in `names`.

    The least recently classified documents come first.
    """
    params = {"workspace_id": workspace_id, "names": list(names), "limit": limit, "stages": list(classified_by)}
    return [row["id"] for row in conn.execute(_SQL["find_documents_to_reclassify"], params)]


def start_attempt(conn: Connection, document_id: UUID, stage: str) -> bool:
    """Record that a stage of a document is starting; return False if the document was deleted."""
    return conn.execute(_SQL["start_attempt"], {"id": document_id, "stage": stage}).fetchone() is not None


def record_progress(
    conn: Connection, document_id: UUID, stage: str, seconds: float, *, category: str | None, reason: str | None
) -> None:
    """Record that the next stage starts, and add the running time of the previous one.

    Category and reason state what is missing so far.
    """
    params = {"id": document_id, "stage": stage, "seconds": seconds, "category": category, "reason": reason}
    conn.execute(_SQL["record_progress"], params)


def mark_queued(
    conn: Connection, document_id: UUID, stage: str, seconds: float, *, category: str | None, reason: str | None
) -> None:
    """Like `record_progress`, but mark the document as pending, because the next stage waits in the queue."""
    params = {"id": document_id, "stage": stage, "seconds": seconds, "category": category, "reason": reason}
    conn.execute(_SQL["mark_queued"], params)


def mark_completed(
    conn: Connection, document_id: UUID, seconds: float, *, category: str | None = None, reason: str | None = None
) -> None:
    """Mark a document as completed; a category states what is missing."""
    # If nothing is missing, only a document without a title can be retried.
    retryable = not failures.get_category(category).noted if category else not _has_title(conn, document_id)
    params = {"id": document_id, "seconds": seconds, "category": category, "reason": reason}
    conn.execute(_SQL["mark_completed"], {**params, "retryable": retryable})


def _has_title(conn: Connection, document_id: UUID) -> bool:
    return conn.execute(_SQL["is_titled"], {"id": document_id}).fetchone() == {"titled": True}


def mark_failed(conn: Connection, document_id: UUID, seconds: float, *, category: str, reason: str) -> None:
    """Mark a document as failed, and count the failure."""
    params = {"id": document_id, "seconds": seconds, "category": category, "reason": reason}
    conn.execute(_SQL["mark_failed"], {**params, "retryable": failures.get_category(category).retry})


def mark_cancelled(conn: Connection, document_ids: Sequence[UUID], *, reason: str) -> None:
    """Mark documents as cancelled."""
    conn.execute(_SQL["mark_cancelled"], {"ids": list(document_ids), "reason": reason})


def mark_restarted(conn: Connection, document_ids: Sequence[UUID]) -> None:
    """Mark documents as pending when a user retries them, and reset their running time."""
    conn.execute(_SQL["mark_restarted"], {"ids": list(document_ids)})


def mark_waiting(
    conn: Connection,
    document_id: UUID,
    seconds: float = 0,
    *,
    category: str | None = None,
    reason: str | None = None,
    snoozed: bool = False,
) -> None:
    """Mark a document as pending; a category and reason record a failed attempt, unless it was `snoozed`."""
    params = {"id": document_id, "seconds": seconds, "category": category, "reason": reason}
    failures = int(category is not None and not snoozed)
    conn.execute(_SQL["mark_waiting"], {**params, "failures": failures})


def mark_returned(conn: Connection, ids: Sequence[UUID]) -> None:
    """Mark documents whose jobs were returned to the queue as pending; locked documents are left as they are."""
    conn.execute(_SQL["mark_returned"], {"ids": list(ids)})


def add_note(conn: Connection, document_id: UUID, note: str) -> None:
    """Add a note about content that could not be read, unless the document already has it."""
    conn.execute(_SQL["add_note"], {"id": document_id, "note": note})


def forget_processor(conn: Connection, document_id: UUID) -> None:
    """Remove the name and status of the outside processor that had a document."""
    conn.execute(_SQL["forget_processor"], {"id": document_id})


def reset_running_time(conn: Connection, document_id: UUID) -> None:
    """Reset the running time of a document, so that it gets the full timeout again."""
    conn.execute(_SQL["reset_running_time"], {"id": document_id})


def delete_document(conn: Connection, document_id: UUID) -> None:
    """Mark a document as deleted; the queue ends its jobs."""
    if conn.execute(_SQL["delete_document"], {"id": document_id}).fetchone() is None:
        raise NotFound("There is no such document.")


def _make_document(row: dict[str, Any]) -> Document:
    values = {name: row[name] for name in _COLUMNS}
    values.update(tier=Tier(row["tier"]), notes=tuple(row["notes"]))
    values.update(tags=tuple(row["tags"]), found_tags=tuple(row["found_tags"]))
    return Document(**values)
