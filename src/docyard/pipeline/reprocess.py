"""What a person asks for a document: to try it again, to replay its dead letters, to cancel or remove it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import UUID

from docyard import queue
from docyard.db import Connection
from docyard.errors import BadInput
from docyard.model.documents import Document
from docyard.model.failures import Ending, category
from docyard.model.stages import StageResult
from docyard.model.tiers import Tier
from docyard.pipeline.road import (
    current,
    degradation,
    is_alone,
    is_ready,
    job_alone,
    stage_ahead,
    stage_job,
    stages_to_redo,
)
from docyard.stages import relate
from docyard.store import documents, facts, results


def retry_document(conn: Connection, document_id: UUID) -> UUID | None:
    """Run again what did not succeed; gives the job, or None when there is nothing to do."""
    document = documents.get_document(conn, document_id)
    if _is_noted(document) and not _is_stale(conn, document):
        return None
    letters = [
        letter.id for letter in queue.letters_of_document(conn, document_id) if letter.type == "document"
    ]
    revived = replay_letters(conn, letters)
    return revived[0] if revived else _run_again(conn, document)


def _is_noted(document: Document) -> bool:
    """Whether there is nothing to be done with a document of this type."""
    return category(document.reason_category or "").ending is Ending.NOTED


def classify_again(conn: Connection, document_ids: Iterable[UUID]) -> int:
    """Let completed documents be classified again, and what builds on it; gives how many will be."""
    found = (documents.get_document(conn, each) for each in document_ids)
    return sum(_run_again(conn, document, tier=Tier.LOW, also=["classify"]) is not None for document in found)


def _is_stale(conn: Connection, document: Document) -> bool:
    """Whether a stage can do more now than when it found nothing: its result is of an older version."""
    recorded = results.stage_results(conn, document.id)
    return len(current(recorded)) < len(recorded) and stage_ahead(conn, document, recorded) is not None


def renew_document(conn: Connection, document_id: UUID) -> UUID | None:
    """Queue, after everything else, what today's road would do more with a document; None if nothing."""
    document = documents.get_document(conn, document_id)
    if document.status != "completed" or not _is_behind(conn, document):
        return None
    return _run_again(conn, document, tier=Tier.LOW)


def _is_behind(conn: Connection, document: Document) -> bool:
    return stage_ahead(conn, document, results.stage_results(conn, document.id)) is not None


def relate_again(conn: Connection, document: Document) -> None:
    """Let what a document tells follow the fields that hold now; the caller has locked it and its jobs.

    A job that is on the document's road already does it on its way. What was not completed does it when it
    is tried again.
    """
    road, ready = _road(document), is_ready(relate.STAGE, results.stage_results(conn, document.id))
    if document.status == "completed" and not ready:
        return
    results.forget_stages(conn, document.id, [relate.STAGE.name])
    if document.status == "completed" and queue.find_live(conn, document.workspace_id, road) is None:
        documents.reset_running_time(conn, document.id)
        queue.enqueue(conn, [job_alone(conn, document, relate.STAGE)])


def redo_stages(conn: Connection, document: Document, stages: Sequence[str]) -> None:
    """Let these stages be run again, whatever they came to; the caller sees to a job that does it."""
    _live_road(conn, document)
    results.forget_stages(conn, document.id, stages)
    documents.reset_running_time(conn, document.id)
    if document.completed_at is not None:
        letters = queue.letters_of_document(conn, document.id)
        replay_letters(conn, [letter.id for letter in letters if letter.type == "document"])
        documents.mark_waiting(conn, document.id)


def replay_letters(conn: Connection, letters: Sequence[UUID]) -> list[UUID]:
    """Put dead letters back into the queue, their documents with them; gives the jobs."""
    revived = queue.replay(conn, letters) if letters else []
    for _, document_id in revived:
        if document_id is not None:
            documents.reset_running_time(conn, document_id)
            documents.mark_waiting(conn, document_id)
    return [job_id for job_id, _ in revived]


def cancel_document(conn: Connection, document_id: UUID, by: str) -> None:
    """End the work on a document, queued or running; it can be tried again and goes on where it stopped."""
    queue.lock_document(conn, document_id)
    document = documents.get_document(conn, document_id)
    if document.completed_at is not None:
        raise BadInput(f"{document.name} has ended already ({document.status}); there is nothing to cancel.")
    queue.cancel_document(conn, document_id)
    documents.mark_cancelled(conn, document_id, reason=f"Cancelled by {by}.")


def cancel_jobs(conn: Connection, ids: Sequence[UUID], by: str) -> list[UUID]:
    """End live jobs, and the document of one that is on its road; gives those that were live."""
    cancelled = []
    for job_id in ids:
        document_id = queue.document_of_road(conn, job_id)
        # What runs on a document that is completed all the while ends by itself.
        if document_id is None or is_alone(queue.payload_of(conn, job_id)):
            cancelled += [ended for ended, _ in queue.cancel_jobs(conn, [job_id])]
        else:
            cancel_document(conn, document_id, by)
            cancelled.append(job_id)
    return cancelled


def remove_document(conn: Connection, document_id: UUID) -> None:
    """Delete a document with its work and what it says; jobs are locked first, as everywhere."""
    queue.cancel_document(conn, document_id)
    workspace_id = documents.get_document(conn, document_id).workspace_id
    documents.delete_document(conn, document_id)
    facts.drop_facts(conn, document_id, workspace_id)


def _forget_what_nobody_offers(
    conn: Connection, document: Document, redo: Sequence[str], kept: Sequence[StageResult]
) -> None:
    """A document whose model was taken away lacks nothing any more, and need not ask for a retry for ever."""
    if redo and document.status == "completed":
        results.forget_stages(conn, document.id, redo)
        left_out, reason = degradation(kept)
        documents.mark_completed(conn, document.id, 0, category=left_out, reason=reason)


def _run_again(
    conn: Connection, document: Document, *, tier: Tier | None = None, also: Sequence[str] = ()
) -> UUID | None:
    live = _live_road(conn, document)
    if live is not None:
        return live
    recorded = results.stage_results(conn, document.id)
    redo = [*stages_to_redo(recorded, titled=document.title is not None), *also]
    kept = [result for result in recorded if result.stage not in redo]
    stage = stage_ahead(conn, document, kept)
    if stage is None:
        _forget_what_nobody_offers(conn, document, redo, kept)
        return None
    results.forget_stages(conn, document.id, redo)
    documents.reset_running_time(conn, document.id)
    documents.mark_waiting(conn, document.id)
    job = stage_job(conn, document, stage)
    added = queue.enqueue(conn, [job if tier is None else replace(job, tier=tier)])
    return added[0] if added else queue.find_live(conn, document.workspace_id, _road(document))


def _live_road(conn: Connection, document: Document) -> UUID | None:
    """The job that is on a document's road; one that runs a single stage gives way to those that do more."""
    live = queue.find_live(conn, document.workspace_id, _road(document))
    if live is not None and is_alone(queue.payload_of(conn, live)):
        queue.cancel_jobs(conn, [live])
        return None
    return live


def _road(document: Document) -> str:
    return f"road:{document.id}"
