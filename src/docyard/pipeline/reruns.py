"""Repeated processing of documents: after failures, after new stage versions, and on request of users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from uuid import UUID

from docyard import queue
from docyard.db import Connection
from docyard.model.connections import pool_of
from docyard.model.documents import Document
from docyard.model.failures import Ending, category
from docyard.model.stage_values import Classified
from docyard.model.stages import Stage, StageResult
from docyard.model.tiers import Tier
from docyard.pipeline.stage_order import (
    ENTRY,
    current,
    degradation,
    givers,
    is_alone,
    is_ready,
    job_alone,
    road_key,
    stage_ahead,
    stage_job,
    stages_to_redo,
)
from docyard.stages import classify, relate
from docyard.store import documents, results
from docyard.store.connections import classify_with


def retry_document(conn: Connection, document_id: UUID) -> UUID | None:
    """Queue the failed or degraded stages of a document again; return the job, or None if none is needed."""
    document = documents.get_document(conn, document_id)
    if _is_noted(document) and not _is_outdated(conn, document):
        return None
    replayed = replay_letters(conn, _list_dead_letters(conn, document_id))
    return replayed[0] if replayed else _run_again(conn, [document]).get(document_id)


def _is_noted(document: Document) -> bool:
    """Return whether the document completed with a note, because such files are not read."""
    return category(document.reason_category or "").ending is Ending.NOTED


def _is_outdated(conn: Connection, document: Document) -> bool:
    """Return whether a result was made by an older stage version and a stage is left to run."""
    recorded = results.stage_results(conn, document.id)
    return len(current(recorded)) < len(recorded) and stage_ahead(conn, document, recorded) is not None


def classify_again(conn: Connection, document_ids: Sequence[UUID]) -> int:
    """Queue documents for classification and the stages that depend on it; return how many were queued."""
    found = documents.get_documents(conn, document_ids)
    return len(_run_again(conn, found, tier=Tier.LOW, also=[classify.STAGE.name]))


def unsettled_documents(
    conn: Connection, workspace_id: UUID, names: Sequence[str], most: int | None = None
) -> list[UUID]:
    """Return classified documents whose type is none of these, in the order of their classification."""
    by = givers(Classified)
    return documents.unsettled_documents(conn, workspace_id, names, most, classified_by=by)


def classify_by(conn: Connection, workspace_id: UUID, connection_id: UUID | None) -> None:
    """Set or clear the connection that classifies a workspace's documents, including those already queued."""
    previous = classify_with(conn, workspace_id, connection_id)
    if previous is not None and previous != connection_id:
        # While the previous connection is unavailable, no worker claims the jobs in its pool.
        queue.leave_pool(conn, pool_of(previous), to=ENTRY.name)


def renew_document(conn: Connection, document_id: UUID) -> UUID | None:
    """Queue a completed document in the low tier if a stage has no result of its current version.

    Returns the job, or None if nothing is to be done.
    """
    document = documents.get_document(conn, document_id)
    recorded = results.stage_results(conn, document.id)
    if document.status != "completed" or stage_ahead(conn, document, recorded) is None:
        return None
    return _run_again(conn, [document], tier=Tier.LOW).get(document_id)


def relate_again(conn: Connection, document: Document) -> None:
    """Queue `relate` after a field was edited; the caller has locked the document and its jobs.

    If the document has a live job already, that job runs `relate` too. If the document is not completed, its
    next attempt runs it.
    """
    ready = is_ready(relate.STAGE, results.stage_results(conn, document.id))
    if document.status == "completed" and not ready:
        return
    results.forget_stages(conn, document.id, [relate.STAGE.name])
    live = queue.find_live(conn, document.workspace_id, road_key(document.id))
    if document.status == "completed" and live is None:
        documents.reset_running_time(conn, document.id)
        queue.enqueue(conn, [job_alone(conn, document, relate.STAGE)])


def redo_stages(conn: Connection, document: Document, stages: Sequence[str]) -> None:
    """Delete the results of these stages and reopen the document; the caller must queue the job."""
    _find_live_jobs(conn, [document])
    results.forget_stages(conn, document.id, stages)
    documents.reset_running_time(conn, document.id)
    if document.completed_at is not None:
        replay_letters(conn, _list_dead_letters(conn, document.id))
        documents.mark_waiting(conn, document.id)


def replay_letters(conn: Connection, letters: Sequence[UUID]) -> list[UUID]:
    """Put dead letters back into the queue, restart their documents, and return the jobs."""
    replayed = queue.replay(conn, letters) if letters else []
    document_ids = [document_id for _, document_id in replayed if document_id is not None]
    if document_ids:
        documents.restart(conn, document_ids)
    return [job_id for job_id, _ in replayed]


def _list_dead_letters(conn: Connection, document_id: UUID) -> list[UUID]:
    """Return the dead letters of a document's jobs of type `document`."""
    return [letter.id for letter in queue.letters_of_document(conn, document_id) if letter.type == "document"]


@dataclass(frozen=True, slots=True)
class _Plan:
    """The stages of a document to run again, the results to keep, and the next stage."""

    document: Document
    redo: list[str]
    kept: list[StageResult]
    stage: Stage | None


def _run_again(
    conn: Connection, found: Sequence[Document], *, tier: Tier | None = None, also: Sequence[str] = ()
) -> dict[UUID, UUID]:
    """Queue the documents that have a stage left to run; return the live jobs by document."""
    live = _find_live_jobs(conn, found)
    plans = list(_make_plans(conn, [document for document in found if document.id not in live], also))
    for plan in plans:
        if plan.stage is None:
            _drop_unavailable_stages(conn, plan)
    pending = [(plan, plan.stage) for plan in plans if plan.stage is not None]
    if not pending:
        return live
    results.forget_results(conn, [(plan.document.id, stage) for plan, _ in pending for stage in plan.redo])
    documents.restart(conn, [plan.document.id for plan, _ in pending])
    jobs = [stage_job(conn, plan.document, stage) for plan, stage in pending]
    queue.enqueue(conn, [job if tier is None else replace(job, tier=tier) for job in jobs])
    return _find_live_jobs(conn, found)


def _make_plans(conn: Connection, found: Sequence[Document], also: Sequence[str]) -> Iterator[_Plan]:
    recorded = results.results_of_documents(conn, [document.id for document in found])
    for document in found:
        existing = recorded[document.id]
        redo = [*stages_to_redo(existing, titled=document.title is not None), *also]
        kept = [result for result in existing if result.stage not in redo]
        yield _Plan(document, redo, kept, stage_ahead(conn, document, kept))


def _drop_unavailable_stages(conn: Connection, plan: _Plan) -> None:
    """Delete degraded results of stages that no longer apply, as after an LLM connection was removed.

    Otherwise the document would stay degraded, and each retry would do nothing.
    """
    document = plan.document
    if plan.redo and document.status == "completed":
        results.forget_stages(conn, document.id, plan.redo)
        degraded_by, reason = degradation(plan.kept)
        documents.mark_completed(conn, document.id, 0, category=degraded_by, reason=reason)


def _find_live_jobs(conn: Connection, found: Sequence[Document]) -> dict[UUID, UUID]:
    """Return the live document jobs by document; single-stage jobs are cancelled to make way."""
    live: dict[UUID, UUID] = {}
    single_stage = []
    for workspace_id, several in groupby(_sort_by_workspace(found), lambda document: document.workspace_id):
        keys = {road_key(document.id): document.id for document in several}
        for key, (job_id, payload) in queue.live_by_key(conn, workspace_id, list(keys)).items():
            if is_alone(payload):
                single_stage.append(job_id)
            else:
                live[keys[key]] = job_id
    if single_stage:
        queue.cancel_jobs(conn, single_stage)
    return live


def _sort_by_workspace(found: Sequence[Document]) -> list[Document]:
    return sorted(found, key=lambda document: document.workspace_id)
