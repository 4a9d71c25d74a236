"""Cancellation of documents and jobs, and deletion of documents."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from docyard import queue
from docyard.db import Connection
from docyard.errors import BadInput, NotFound
from docyard.model.documents import Document
from docyard.pipeline.stage_order import is_single_stage
from docyard.store import documents, facts


def cancel_document(conn: Connection, document_id: UUID, by: str) -> None:
    """Cancel the queued or running processing of a document; a later retry resumes where it stopped.

    Raises BadInput if processing has already ended, NotFound if the document does not exist.
    """
    refused = cancel_documents(conn, [document_id], by)
    if refused:
        raise refused[document_id]


def cancel_documents(conn: Connection, ids: Sequence[UUID], by: str) -> dict[UUID, BadInput | NotFound]:
    """Cancel the processing of documents; return the error of each document that was not cancelled."""
    cancelled = _cancel_documents(conn, ids, by)
    others = [one for one in ids if one not in cancelled]
    ended = {each.id: each for each in documents.get_documents(conn, others)} if others else {}
    return {one: _make_refusal(ended.get(one)) for one in others}


def _make_refusal(document: Document | None) -> BadInput | NotFound:
    if document is None:
        return NotFound("There is no such document.")
    return BadInput(f"{document.name} cannot be cancelled: its processing has already ended ({document.status}).")


def cancel_jobs(conn: Connection, ids: Sequence[UUID], by: str) -> list[UUID]:
    """Cancel jobs with their children, and the documents that they process; return the cancelled jobs."""
    live = queue.find_live_jobs(conn, ids)
    # The document of a single-stage job is already completed, so only the job is cancelled.
    by_job = {job.id: job.document_id for job in live if job.document_id and not is_single_stage(job.payload)}
    others = [job.id for job in live if job.id not in by_job]
    ended = [job_id for job_id, _ in queue.cancel_jobs(conn, others)] if others else []
    cancelled = _cancel_documents(conn, list(by_job.values()), by) if by_job else set()
    return [*ended, *(job_id for job_id, document_id in by_job.items() if document_id in cancelled)]


def delete_document(conn: Connection, document_id: UUID) -> None:
    """Cancel the jobs of a document, then delete it with its facts and dead letters."""
    queue.cancel_document(conn, document_id)  # locks jobs before the document, as every transaction must
    workspace_id = documents.get_document(conn, document_id).workspace_id
    documents.delete_document(conn, document_id)
    facts.drop_facts(conn, document_id, workspace_id)


def _cancel_documents(conn: Connection, ids: Sequence[UUID], by: str) -> set[UUID]:
    """Cancel the documents that are still being processed, and return their ids."""
    queue.lock_documents(conn, ids)
    live = [each.id for each in documents.get_documents(conn, ids) if each.completed_at is None]
    if live:
        queue.cancel_documents(conn, live)
        documents.mark_cancelled(conn, live, reason=f"Cancelled by {by}.")
    return set(live)
