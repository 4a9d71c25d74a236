"""Ending the work on documents and jobs, and removing documents."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from docyard import queue
from docyard.db import Connection
from docyard.errors import BadInput, NotFound
from docyard.model.documents import Document
from docyard.pipeline.road import is_alone
from docyard.store import documents, facts


def cancel_document(conn: Connection, document_id: UUID, by: str) -> None:
    """End the work on a document, queued or running; it can be tried again and goes on where it stopped."""
    refused = cancel_documents(conn, [document_id], by)
    if refused:
        raise refused[document_id]


def cancel_documents(conn: Connection, ids: Sequence[UUID], by: str) -> dict[UUID, BadInput | NotFound]:
    """The same for several; gives those whose work could not be ended, with the reason."""
    stopped = _cancel_documents(conn, ids, by)
    others = [one for one in ids if one not in stopped]
    ended = {each.id: each for each in documents.get_documents(conn, others)} if others else {}
    return {one: _refusal(ended.get(one)) for one in others}


def _refusal(document: Document | None) -> BadInput | NotFound:
    if document is None:
        return NotFound("There is no such document.")
    return BadInput(f"{document.name} has ended already ({document.status}); there is nothing to cancel.")


def cancel_jobs(conn: Connection, ids: Sequence[UUID], by: str) -> list[UUID]:
    """End live jobs with all they wait for, and the documents of those on a road; gives what ended."""
    live = queue.live_jobs(conn, ids)
    # A job that runs a single stage of a completed document ends by itself.
    roads = {job.id: job.document_id for job in live if job.document_id and not is_alone(job.payload)}
    others = [job.id for job in live if job.id not in roads]
    ended = [job_id for job_id, _ in queue.cancel_jobs(conn, others)] if others else []
    stopped = _cancel_documents(conn, list(roads.values()), by) if roads else set()
    return [*ended, *(job_id for job_id, document_id in roads.items() if document_id in stopped)]


def remove_document(conn: Connection, document_id: UUID) -> None:
    """Delete a document with its work and what it says; jobs are locked first, as everywhere."""
    queue.cancel_document(conn, document_id)
    workspace_id = documents.get_document(conn, document_id).workspace_id
    documents.delete_document(conn, document_id)
    facts.drop_facts(conn, document_id, workspace_id)


def _cancel_documents(conn: Connection, ids: Sequence[UUID], by: str) -> set[UUID]:
    """End the work on documents that have not ended; gives those."""
    queue.lock_documents(conn, ids)
    live = [each.id for each in documents.get_documents(conn, ids) if each.completed_at is None]
    if live:
        queue.cancel_documents(conn, live)
        documents.mark_cancelled(conn, live, reason=f"Cancelled by {by}.")
    return set(live)
