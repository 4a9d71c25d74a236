"""Running documents again: what did not succeed, what is outdated, what a person asked for."""

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
from docyard.model.stages import Stage, StageResult
from docyard.model.tiers import Tier
from docyard.model.values import Classified
from docyard.pipeline.road import (
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
    """Run again what did not succeed; gives the job, or None when there is nothing to do."""
    document = documents.get_document(conn, document_id)
    if _is_noted(document) and not _is_outdated(conn, document):
        return None
    revived = replay_letters(conn, _letters(conn, document_id))
    return revived[0] if revived else _run_again(conn, [document]).get(document_id)


def _is_noted(document: Document) -> bool:
    """Whether there is nothing to be done with a document of this type."""
    return category(document.reason_category or "").ending is Ending.NOTED


def _is_outdated(conn: Connection, document: Document) -> bool:
    """Whether a stage can do more now than when it found nothing: its result is of an older version."""
    recorded = results.stage_results(conn, document.id)
    return len(current(recorded)) < len(recorded) and stage_ahead(conn, document, recorded) is not None


def classify_again(conn: Connection, document_ids: Sequence[UUID]) -> int:
    """Let completed documents be classified again, and what builds on it; gives how many will be."""
    found = documents.get_documents(conn, document_ids)
    return len(_run_again(conn, found, tier=Tier.LOW, also=[classify.STAGE.name]))


def unsettled_documents(
    conn: Connection, workspace_id: UUID, names: Sequence[str], most: int | None = None
) -> list[UUID]:
    """Documents that were classified and are of none of these types, the first classified first."""
    by = givers(Classified)
    return documents.unsettled_documents(conn, workspace_id, names, most, classified_by=by)


def classify_by(conn: Connection, workspace_id: UUID, connection_id: UUID | None) -> None:
    """Let this connection, or none, classify a workspace's documents, also those that wait for another."""
    last = classify_with(conn, workspace_id, connection_id)
    if last is not None and last != connection_id:
        # Nobody claims what waits for a connection that is away.
        queue.leave_pool(conn, pool_of(last), to=ENTRY.name)


def renew_document(conn: Connection, document_id: UUID) -> UUID | None:
    """Queue, after everything else, what today's road would do more with a document; None if nothing."""
    document = documents.get_document(conn, document_id)
    recorded = results.stage_results(conn, document.id)
    if document.status != "completed" or stage_ahead(conn, document, recorded) is None:
        return None
    return _run_again(conn, [document], tier=Tier.LOW).get(document_id)


def relate_again(conn: Connection, document: Document) -> None:
    """Queue `relate` after a field was edited; the caller has locked the document and its jobs.

    A job that is on the document's road already does it on its way. A document that is not completed does
    it when it is tried again.
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
    """Let these stages be run again, whatever they came to; the caller sees to a job that does it."""
    _live_roads(conn, [document])
    results.forget_stages(conn, document.id, stages)
    documents.reset_running_time(conn, document.id)
    if document.completed_at is not None:
        replay_letters(conn, _letters(conn, document.id))
        documents.mark_waiting(conn, document.id)


def replay_letters(conn: Connection, letters: Sequence[UUID]) -> list[UUID]:
    """Put dead letters back into the queue, their documents with them; gives the jobs."""
    revived = queue.replay(conn, letters) if letters else []
    concerned = [document_id for _, document_id in revived if document_id is not None]
    if concerned:
        documents.restart(conn, concerned)
    return [job_id for job_id, _ in revived]


def _letters(conn: Connection, document_id: UUID) -> list[UUID]:
    """The dead letters of a document's road."""
    return [letter.id for letter in queue.letters_of_document(conn, document_id) if letter.type == "document"]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What to run again of a document, what of it is kept, and the stage that comes next."""

    document: Document
    redo: list[str]
    kept: list[StageResult]
    stage: Stage | None


def _run_again(
    conn: Connection, found: Sequence[Document], *, tier: Tier | None = None, also: Sequence[str] = ()
) -> dict[UUID, UUID]:
    """Queue what the documents lack; gives the job of each that has one, by document."""
    live = _live_roads(conn, found)
    plans = list(_plans(conn, [document for document in found if document.id not in live], also))
    for plan in plans:
        if plan.stage is None:
            _forget_what_is_not_offered(conn, plan)
    ahead = [(plan, plan.stage) for plan in plans if plan.stage is not None]
    if not ahead:
        return live
    results.forget_results(conn, [(plan.document.id, stage) for plan, _ in ahead for stage in plan.redo])
    documents.restart(conn, [plan.document.id for plan, _ in ahead])
    jobs = [stage_job(conn, plan.document, stage) for plan, stage in ahead]
    queue.enqueue(conn, [job if tier is None else replace(job, tier=tier) for job in jobs])
    return _live_roads(conn, found)


def _plans(conn: Connection, found: Sequence[Document], also: Sequence[str]) -> Iterator[_Plan]:
    recorded = results.results_of_documents(conn, [document.id for document in found])
    for document in found:
        so_far = recorded[document.id]
        redo = [*stages_to_redo(so_far, titled=document.title is not None), *also]
        kept = [result for result in so_far if result.stage not in redo]
        yield _Plan(document, redo, kept, stage_ahead(conn, document, kept))


def _forget_what_is_not_offered(conn: Connection, plan: _Plan) -> None:
    """A document whose model was taken away lacks nothing, and must not ask for a retry forever."""
    document = plan.document
    if plan.redo and document.status == "completed":
        results.forget_stages(conn, document.id, plan.redo)
        left_out, reason = degradation(plan.kept)
        documents.mark_completed(conn, document.id, 0, category=left_out, reason=reason)


def _live_roads(conn: Connection, found: Sequence[Document]) -> dict[UUID, UUID]:
    """The live jobs on the documents' roads; those that run a single stage give way to what does more."""
    live: dict[UUID, UUID] = {}
    single = []
    for workspace_id, several in groupby(_by_workspace(found), lambda document: document.workspace_id):
        keys = {road_key(document.id): document.id for document in several}
        for key, (job_id, payload) in queue.live_by_key(conn, workspace_id, list(keys)).items():
            if is_alone(payload):
                single.append(job_id)
            else:
                live[keys[key]] = job_id
    if single:
        queue.cancel_jobs(conn, single)
    return live


def _by_workspace(found: Sequence[Document]) -> list[Document]:
    return sorted(found, key=lambda document: document.workspace_id)
