"""Repeated processing of documents: after failures, for new stage versions, and at the request of users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from uuid import UUID

from docyard import queue
from docyard.db import Connection
from docyard.errors import BadInput
from docyard.model.connections import connection_pool_name
from docyard.model.documents import Document
from docyard.model.failures import get_category
from docyard.model.stage_values import Classification
from docyard.model.stages import Stage, StageResult
from docyard.model.tiers import Tier
from docyard.pipeline import embedding_jobs
from docyard.pipeline.attachments import RECEIVE_CHILD
from docyard.pipeline.stage_order import (
    ENTRY_STAGE,
    document_job_key,
    filter_current,
    find_degradation,
    find_next_stage,
    is_ready,
    is_single_stage,
    list_producers,
    list_stages_to_redo,
    make_single_stage_job,
    make_stage_job,
)
from docyard.stages import STAGES, classify, extract, relate
from docyard.store import connections, documents, results

FROM_EXTRACT = [stage.name for stage in STAGES[STAGES.index(extract.STAGE) :]]
_TAKEN = "The attempt took more than 10 minutes, and a user started the stage again."


def retry_document(conn: Connection, document_id: UUID) -> UUID | None:
    """Queue what failed of a document: its stages, else its embedding, and the extraction of its attachments.

    Returns a job, or None if nothing is left to do. A document that takes a long time is taken from its worker or
    outside processor and starts its current stage again.
    """
    document = documents.get_document(conn, document_id)
    extractions = replay_dead_letters(conn, _list_letters(conn, document_id, RECEIVE_CHILD))
    job = _retry_stages(conn, document)
    if job is not None:
        return job  # embedding follows the stages
    embeddings = replay_dead_letters(conn, _list_letters(conn, document_id, embedding_jobs.TYPE))
    return next(iter([*extractions, *embeddings]), None)


def _retry_stages(conn: Connection, document: Document) -> UUID | None:
    """Queue the failed or degraded stages of a document, with their dead letters; return the job, if any."""
    if document.stale and (restarted := _restart(conn, document)) is not None:
        return restarted
    if _is_left_to_others(document) or (_is_noted(document) and not _is_outdated(conn, document)):
        return None
    replayed = replay_dead_letters(conn, _list_letters(conn, document.id, "document"))
    return replayed[0] if replayed else _run_again(conn, [document]).get(document.id)


def _restart(conn: Connection, document: Document) -> UUID | None:
    """Take a stale document from its worker or outside processor and return its job; None if it has neither."""
    queue.lock_document(conn, document.id)  # locks jobs before the document, as every transaction must
    live = queue.find_by_dedupe_key(conn, document.workspace_id, document_job_key(document.id))
    if live is None or not documents.get_document(conn, document.id).stale:
        return None
    # Between two stages, the job is in the queue, although the document is shown as being processed.
    if not queue.take_from_holder(conn, live, _TAKEN) and not queue.is_pending(conn, live):
        return None
    documents.mark_restarted(conn, [document.id])
    documents.forget_processor(conn, document.id)
    return live


def _is_left_to_others(document: Document) -> bool:
    """Return whether an outside processor has the document or has completed it; Docyard has no file to process."""
    return document.is_elsewhere and document.status in ("pending", "processing", "completed")


def _is_noted(document: Document) -> bool:
    """Return whether the document ended with a note, for example because its file type is not supported."""
    return get_category(document.reason_category or "").noted


def _is_outdated(conn: Connection, document: Document) -> bool:
    """Return whether a result is from an older stage version, and a stage is left to run."""
    recorded = results.load_stage_results(conn, document.id)
    return len(filter_current(recorded)) < len(recorded) and find_next_stage(conn, document, recorded) is not None


def process_again(conn: Connection, document_id: UUID) -> UUID | None:
    """Discard the results of a finished document and queue it from `extract` on; return its live job.

    If the document is already queued or running, nothing changes. Facts that users decided are kept. Raises
    BadInput if the document has no file.
    """
    queue.lock_document(conn, document_id)  # of two requests at the same time, the second finds the job of the first
    document = documents.get_document(conn, document_id)
    if document.blob_key is None:
        raise BadInput(f"No file is stored for {document.name}, so it cannot be processed again.")
    if document.completed_at is not None:
        redo_stages(conn, document, FROM_EXTRACT)
    return _run_again(conn, [document]).get(document_id)


def classify_again(conn: Connection, document_ids: Sequence[UUID]) -> int:
    """Queue documents for classification and the stages that depend on it; return how many are queued."""
    found = documents.get_documents(conn, document_ids)
    return len(_run_again(conn, found, tier=Tier.LOW, also=[classify.STAGE.name]))


def find_documents_to_reclassify(
    conn: Connection, workspace_id: UUID, names: Sequence[str], limit: int | None = None
) -> list[UUID]:
    """Return classified documents that have none of these types, least recently classified first."""
    by = list_producers(Classification)
    return documents.find_documents_to_reclassify(conn, workspace_id, names, limit, classified_by=by)


def change_classifier(conn: Connection, workspace_id: UUID, connection_id: UUID | None) -> None:
    """Set or clear the connection that classifies a workspace's documents, including waiting ones."""
    previous = connections.set_classifier(conn, workspace_id, connection_id)
    if previous is not None and previous != connection_id:
        # In the pool of the previous connection, the jobs would wait until that connection is available.
        queue.move_waiting_jobs(conn, connection_pool_name(previous), to=ENTRY_STAGE.name)


def update_document(conn: Connection, document_id: UUID) -> UUID | None:
    """Queue a completed document in the low tier if a stage has no result of its current version.

    Returns the job, or None if there is nothing to do.
    """
    document = documents.get_document(conn, document_id)
    recorded = results.load_stage_results(conn, document.id)
    if document.status != "completed" or find_next_stage(conn, document, recorded) is None:
        return None
    return _run_again(conn, [document], tier=Tier.LOW).get(document_id)


def relate_again(conn: Connection, document: Document) -> None:
    """Queue `relate` after a field was edited; the caller has locked the document and its jobs.

    If the document already has a live job, that job also runs `relate`. If the document is not completed,
    its next attempt does.
    """
    ready = is_ready(relate.STAGE, results.load_stage_results(conn, document.id))
    if document.status == "completed" and not ready:
        return
    results.delete_stages(conn, document.id, [relate.STAGE.name])
    live = queue.find_by_dedupe_key(conn, document.workspace_id, document_job_key(document.id))
    if document.status == "completed" and live is None:
        documents.reset_running_time(conn, document.id)
        queue.enqueue(conn, [make_single_stage_job(conn, document, relate.STAGE)])


def redo_stages(conn: Connection, document: Document, stages: Sequence[str]) -> None:
    """Delete the results of these stages and reopen the document; the caller must queue the job."""
    _find_live_jobs(conn, [document])  # cancels single-stage jobs
    results.delete_stages(conn, document.id, stages)
    documents.reset_running_time(conn, document.id)
    if document.completed_at is not None:
        replay_dead_letters(conn, _list_letters(conn, document.id, "document"))
        documents.mark_waiting(conn, document.id)


def replay_dead_letters(conn: Connection, letters: Sequence[UUID]) -> list[UUID]:
    """Put dead letters back into the queue, restart documents whose pipeline failed, and return the jobs."""
    replayed = queue.replay(conn, letters) if letters else []
    document_ids = [document_id for _, document_id in replayed if document_id is not None]
    if document_ids:
        documents.mark_restarted(conn, document_ids)
    return [job_id for job_id, _ in replayed]


def _list_letters(conn: Connection, document_id: UUID, job_type: str) -> list[UUID]:
    """Return the ids of the document's dead letters that come from jobs of this type."""
    return [letter.id for letter in queue.find_letters_of_document(conn, document_id) if letter.type == job_type]


@dataclass(frozen=True, slots=True)
class _Plan:
    """The stages of a document to run again, the results to keep, and the next stage, if any."""

    document: Document
    redo: list[str]
    kept: list[StageResult]
    stage: Stage | None


def _run_again(
    conn: Connection, found: Sequence[Document], *, tier: Tier | None = None, also: Sequence[str] = ()
) -> dict[UUID, UUID]:
    """Queue the documents that have a stage to run and no live job; return all live jobs by document."""
    live = _find_live_jobs(conn, found)
    plans = list(_make_plans(conn, [document for document in found if document.id not in live], also))
    for plan in plans:
        if plan.stage is None:
            _drop_unavailable_stages(conn, plan)
    pending = [(plan, plan.stage) for plan in plans if plan.stage is not None]
    if not pending:
        return live
    results.delete_results(conn, [(plan.document.id, stage) for plan, _ in pending for stage in plan.redo])
    restarted = [plan.document.id for plan, _ in pending]
    queue.discard_superseded(conn, restarted, embedding_jobs.TYPE)  # embedding follows the stages
    documents.mark_restarted(conn, restarted)
    jobs = [make_stage_job(conn, plan.document, stage) for plan, stage in pending]
    queue.enqueue(conn, [job if tier is None else replace(job, tier=tier) for job in jobs])
    return _find_live_jobs(conn, found)


def _make_plans(conn: Connection, found: Sequence[Document], also: Sequence[str]) -> Iterator[_Plan]:
    recorded = results.load_results_by_document(conn, [document.id for document in found])
    for document in found:
        existing = recorded[document.id]
        redo = [*list_stages_to_redo(existing, titled=document.title is not None), *also]
        kept = [result for result in existing if result.stage not in redo]
        yield _Plan(document, redo, kept, find_next_stage(conn, document, kept))


def _drop_unavailable_stages(conn: Connection, plan: _Plan) -> None:
    """Delete degraded results of stages that cannot run, such as those of a removed LLM connection.

    Otherwise the document would stay degraded, and each retry would do nothing.
    """
    document = plan.document
    if plan.redo and document.status == "completed":
        results.delete_stages(conn, document.id, plan.redo)
        degraded_by, reason = find_degradation(plan.kept)
        documents.mark_completed(conn, document.id, 0, category=degraded_by, reason=reason)


def _find_live_jobs(conn: Connection, found: Sequence[Document]) -> dict[UUID, UUID]:
    """Return the live document jobs by document; cancel single-stage jobs, which use the same dedupe key."""
    live: dict[UUID, UUID] = {}
    single_stage = []
    for workspace_id, several in groupby(_sort_by_workspace(found), lambda document: document.workspace_id):
        keys = {document_job_key(document.id): document.id for document in several}
        for key, (job_id, payload) in queue.find_by_dedupe_keys(conn, workspace_id, list(keys)).items():
            if is_single_stage(payload):
                single_stage.append(job_id)
            else:
                live[keys[key]] = job_id
    if single_stage:
        queue.cancel_jobs(conn, single_stage)
    return live


def _sort_by_workspace(found: Sequence[Document]) -> list[Document]:
    return sorted(found, key=lambda document: document.workspace_id)
