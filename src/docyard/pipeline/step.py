"""The only door that saves stage results: results, settlement and next jobs in one transaction, or none."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from docyard import log, queue
from docyard.db import Connection
from docyard.errors import Failure, NotFound, Reject, Wait
from docyard.model.documents import Document
from docyard.model.failures import Ending, category, retry_delay
from docyard.model.jobs import Done, Failed, Lease, Outcome, Snoozed
from docyard.model.stage_value import StageValue
from docyard.model.stages import Stage, StageResult
from docyard.model.values import Extracted, Fielded, PageRead
from docyard.pipeline.attachments import keep_attachments
from docyard.pipeline.embedding_jobs import embed_job
from docyard.pipeline.road import (
    alone,
    current,
    degradation,
    depending,
    is_alone,
    is_retry,
    pool_for,
    runs_here,
    scan_count,
    stage_ahead,
    stage_job,
    stages_to_redo,
)
from docyard.pipeline.storage.values import facts_of, save
from docyard.store import documents, facts, results


@dataclass(frozen=True, slots=True)
class Step:
    """A document and the stage to run on it now."""

    document: Document
    stage: Stage
    scans: int = 0  # pages that have to be read one by one, each of which lengthens the document's time


@dataclass(frozen=True, slots=True)
class Recorded:
    """What recording came to: refused, or accepted with the stage this job goes on with, if any."""

    accepted: bool
    next_stage: Stage | None = None


REFUSED = Recorded(accepted=False)


def begin(conn: Connection, lease: Lease) -> Step | None:
    """Find what to do for a leased job; None when nothing is left, or the lease was lost meanwhile."""
    held = queue.still_held(conn, lease)
    if held is None:
        refuse(conn, lease)
        return None
    document = _document(conn, lease)
    recorded = _to_build_on(conn, lease, document) if document else []
    by_itself = alone(lease, recorded)
    stage = by_itself or (stage_ahead(conn, document, recorded) if document else None)
    if document is None or stage is None:
        _end_idle(conn, lease, document)
        return None
    step = Step(document, stage, scan_count(current(recorded)))
    if by_itself is None and not _entered(conn, held, step):
        return None
    return step


def _to_build_on(conn: Connection, lease: Lease, document: Document) -> list[StageResult]:
    """What the stages have come to so far, without what a retry is to run again."""
    recorded = results.stage_results(conn, document.id)
    redo = stages_to_redo(recorded, titled=document.title is not None) if is_retry(lease.payload) else []
    if redo:
        results.forget_stages(conn, document.id, redo)
    return [result for result in recorded if result.stage not in redo]


def _entered(conn: Connection, lease: Lease, step: Step) -> bool:
    """Begin the attempt; False when the job was moved to where its stage runs."""
    # A job for one stage alone comes here when that stage is done. It begins anew, as a job on the road:
    # whoever holds this lease would end it as one for a single stage.
    if is_alone(lease.payload) or not runs_here(conn, lease, step.document, step.stage):
        pool = pool_for(conn, step.document, step.stage)
        if queue.move(conn, lease, pool, step.stage.name):
            documents.note_progress(conn, step.document.id, step.stage.name, 0)
        return False
    if lease.stage != step.stage.name or is_retry(lease.payload):
        queue.enter(conn, lease, step.stage.name)
    documents.start_attempt(conn, step.document.id, step.stage.name)
    return True


def overtaken(conn: Connection, lease: Lease, step: Step, given: Iterable[StageValue]) -> bool:
    """Whether people have said something of the fields since this stage was given them."""
    fields = [value for value in given if isinstance(value, Fielded)]
    if Fielded not in step.stage.needs or not fields or queue.still_held(conn, lease) is None:
        return False
    # Whoever speaks of a field locks the jobs of its document, so none can from here on.
    return facts.load_fields(conn, step.document.id) != fields[0].fields


def keep_page(conn: Connection, lease: Lease, step: Step, read: PageRead) -> bool:
    """Save one page that was read, if this worker still holds the job; it then goes on in new time."""
    if not queue.prolong(conn, lease):
        return refuse(conn, lease)
    results.save_read_page(conn, step.document.id, read.page)
    if read.note:
        documents.add_note(conn, step.document.id, read.note)
    return True


def hand_over(conn: Connection, lease: Lease, step: Step, seconds: float) -> bool:
    """End the job in the middle of its stage and queue one that goes on, so that others get a turn."""
    if not _settled(conn, Done(lease)):
        return False
    _move_on(conn, lease, step.document, step.stage, seconds, same_job=False)
    return True


def record(conn: Connection, lease: Lease, step: Step, value: StageValue, seconds: float) -> Recorded:
    """Save what a stage gave and move on, if this worker still holds the job."""
    # First, because people may let a stage be done again as long as the job is not locked.
    if queue.still_held(conn, lease) is None:
        refuse(conn, lease)
        return REFUSED
    done = StageResult(step.stage.name, step.stage.version, "done", facts_of(value))
    recorded = results.stage_results(conn, step.document.id)
    outdated = _outdated(step.stage, recorded)
    remaining = [*(result for result in recorded if result.stage not in outdated), done]
    following = None if alone(lease, recorded) else stage_ahead(conn, step.document, remaining)
    goes_on = following is not None and following.resource == step.stage.resource
    if not _accepted(conn, lease, following if goes_on else None, Done(lease)):
        return REFUSED
    if outdated:
        results.forget_stages(conn, step.document.id, outdated)
    save(conn, step.document, value)
    if isinstance(value, Extracted):
        keep_attachments(conn, lease, step.document, value.attachments)
    results.save_result(conn, lease, done, seconds=seconds)
    _move_on(conn, lease, step.document, following, seconds, same_job=goes_on)
    return Recorded(accepted=True, next_stage=following if goes_on else None)


def _outdated(stage: Stage, recorded: Sequence[StageResult]) -> list[str]:
    """Results that were built on what this stage gave before, as when it runs again after a retry."""
    had = {result.stage for result in recorded}
    return [name for name in depending(stage) if name in had] if len(had) > 1 else []


def fail(conn: Connection, lease: Lease, failure: Failure, seconds: float = 0.0) -> bool:
    """Settle a failure: try again later, or end the document the way this kind of failure ends it."""
    held = queue.still_held(conn, lease)
    if held is None:
        return refuse(conn, lease)
    final = is_final(held, failure)
    ending = category(failure.category).ending
    if final and lease.type == "document" and (ending is not Ending.FAILED or is_alone(lease.payload)):
        return _degrade(conn, held, failure, seconds)
    if not _settled(conn, _outcome(held, failure, final=final)):
        return False
    # Other jobs may concern a document too, but only its road decides how it ends.
    if lease.type == "document" and lease.document_id is not None and not is_alone(lease.payload):
        mark = documents.mark_failed if final else documents.mark_waiting
        mark(conn, lease.document_id, seconds, category=failure.category, reason=failure.message)
    return True


def is_final(lease: Lease, failure: Failure) -> bool:
    """Whether this failure ends the job."""
    if _waits(lease, failure):
        return False
    return isinstance(failure, Reject) or not category(failure.category).retry or lease.last_attempt


def _waits(lease: Lease, failure: Failure) -> bool:
    """Whether the job only waits; who has waited for long enough spends an attempt like any other."""
    return isinstance(failure, Wait) and lease.waited + failure.seconds <= failure.longest


def _outcome(lease: Lease, failure: Failure, *, final: bool) -> Outcome:
    if isinstance(failure, Wait) and _waits(lease, failure):
        return Snoozed(lease, failure.seconds, failure.category, failure.message)
    # Spreading retries needs no secret randomness.
    delay = 0.0 if final else retry_delay(failure.category, lease.attempts, random.random())  # noqa: S311
    return Failed(lease, failure.category, failure.message, final, delay)


def _degrade(conn: Connection, lease: Lease, failure: Failure, seconds: float) -> bool:
    """Do without this stage: the document goes on as far as it can and stays usable."""
    if not _settled(conn, Done(lease, "degraded", failure.category, failure.message)):
        return False
    document = _document(conn, lease)
    if document is None:
        return True
    recorded = results.stage_results(conn, document.id)
    by_itself = alone(lease, recorded)
    stage = by_itself or stage_ahead(conn, document, recorded)
    if stage is not None:
        told = {"category": failure.category, "message": failure.message}
        degraded = StageResult(stage.name, stage.version, "degraded", told)
        results.save_result(conn, lease, degraded, seconds=seconds)
        recorded = results.stage_results(conn, document.id)
    following = None if by_itself else stage_ahead(conn, document, recorded)
    _move_on(conn, lease, document, following, seconds, same_job=False)
    return True


def _move_on(
    conn: Connection,
    lease: Lease,
    document: Document,
    following: Stage | None,
    seconds: float,
    *,
    same_job: bool,
) -> None:
    if following is None:
        left_out, reason = degradation(results.stage_results(conn, document.id))
        documents.mark_completed(conn, document.id, seconds, category=left_out, reason=reason)
        if is_alone(lease.payload):
            return  # it was completed all the while
        if enrichment := embed_job(conn, document):
            queue.enqueue(conn, enrichment)
        log.event("document_completed", document=document.id, name=document.name, left_out=left_out)
        return
    documents.note_progress(conn, document.id, following.name, seconds)
    if not same_job:
        queue.enqueue(conn, [stage_job(conn, document, following, lease)])


def _accepted(conn: Connection, lease: Lease, goes_on_with: Stage | None, end: Done) -> bool:
    if goes_on_with is not None:
        return queue.advance(conn, lease, goes_on_with.name) or refuse(conn, lease)
    return _settled(conn, end)


def _settled(conn: Connection, outcome: Outcome) -> bool:
    return outcome.lease.job_id in queue.settle(conn, [outcome]) or refuse(conn, outcome.lease)


def refuse(conn: Connection, lease: Lease) -> bool:
    """Count a result that came too late; gives False, for whoever asked whether it was accepted."""
    queue.count_rejected(conn, [lease])
    log.warn("late_result_refused", job=lease.job_id, fence=lease.fence, worker=lease.worker_id)
    return False


def _end_idle(conn: Connection, lease: Lease, document: Document | None) -> None:
    _settled(conn, Done(lease, "done" if document else "cancelled"))
    if document is not None and document.status in ("pending", "processing"):
        left_out, reason = degradation(results.stage_results(conn, document.id))
        documents.mark_completed(conn, document.id, 0, category=left_out, reason=reason)


def _document(conn: Connection, lease: Lease) -> Document | None:
    try:
        return documents.get_document(conn, lease.document_id) if lease.document_id else None
    except NotFound:
        return None
