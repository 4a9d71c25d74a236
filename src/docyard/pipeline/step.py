"""Saving of stage results; the same transaction advances the job, or settles it and queues the next one.

No other module saves stage results.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from docyard import log, queue
from docyard.db import Connection
from docyard.errors import Failure, NotFound, Reject, Wait
from docyard.model.documents import Document
from docyard.model.failures import get_category, retry_delay
from docyard.model.jobs import Completion, JobFailure, Lease, Outcome, Snooze
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import DocumentFields, ExtractedText, OcrPage
from docyard.model.stages import Stage, StageResult
from docyard.pipeline.attachments import queue_attachments, record_failed_extraction
from docyard.pipeline.embedding_jobs import make_embedding_job
from docyard.pipeline.page_stages import name_unread_pages
from docyard.pipeline.stage_order import (
    ENTRY_STAGE,
    can_run_in_pool,
    choose_pool,
    count_scans,
    fails_document,
    filter_current,
    find_degradation,
    find_degraded_stage,
    find_next_stage,
    get_single_stage,
    is_retry,
    is_single_stage,
    list_dependents,
    list_stages_to_redo,
    make_stage_job,
)
from docyard.pipeline.storage.values import make_facts, save
from docyard.store import documents, facts, results


@dataclass(frozen=True, slots=True)
class Step:
    """A document and the stage to run on it now."""

    document: Document
    stage: Stage
    scans: int = 0  # scanned pages; each extends the time limit of the document


@dataclass(frozen=True, slots=True)
class RecordResult:
    """The result of `record`: whether the value was saved, and the stage that the job runs next, if any."""

    accepted: bool
    next_stage: Stage | None = None


REFUSED = RecordResult(accepted=False)


def begin(conn: Connection, lease: Lease) -> Step | None:
    """Find the stage to run for a leased job, and start the attempt.

    Returns None if nothing is left to do, the job was moved to another pool, or the lease was lost.
    """
    current = queue.lock_lease(conn, lease)
    if current is None:
        refuse(conn, lease)
        return None
    document = _load_document(conn, lease)
    recorded = _load_results(conn, lease, document) if document else []
    single_stage = get_single_stage(lease, recorded)
    stage = single_stage or (find_next_stage(conn, document, recorded) if document else None)
    if document is None or stage is None:
        _end_without_work(conn, lease, document)
        return None
    if stage is ENTRY_STAGE and document.blob_key is None and not _is_fetchable(conn, current):
        return None
    step = Step(document, stage, count_scans(filter_current(recorded)))
    if single_stage is None and not _start_attempt(conn, current, step):
        return None
    return step


def _is_fetchable(conn: Connection, lease: Lease) -> bool:
    """Return whether the file can be fetched; otherwise the job is parked, or fails if no attempt is left."""
    result = queue.park_unfetchable(conn, lease)
    if result == "exhausted":
        fail(conn, lease, Reject("outside", "No attempt of an outside processor ended with an outcome."))
    return result == "fetchable"


def _load_results(conn: Connection, lease: Lease, document: Document) -> list[StageResult]:
    """Return the stage results of a document; for a retry by SQL, first delete those of stages to redo."""
    recorded = results.load_stage_results(conn, document.id)
    redo = list_stages_to_redo(recorded, titled=document.title is not None) if is_retry(lease.payload) else []
    if redo:
        results.delete_stages(conn, document.id, redo)
    return [result for result in recorded if result.stage not in redo]


def _start_attempt(conn: Connection, lease: Lease, step: Step) -> bool:
    """Start the attempt; return False if the job was moved to the pool of its stage instead."""
    # A single-stage job gets here if its stage is already done but another stage is not. Moving it makes it
    # an ordinary document job, which may run other stages.
    if is_single_stage(lease.payload) or not can_run_in_pool(conn, lease, step.document, step.stage):
        pool = choose_pool(conn, step.document, step.stage)
        if queue.move(conn, lease, pool, step.stage.name):
            found = step.document
            why = {"category": found.reason_category, "reason": found.reason}  # no attempt has ended
            documents.mark_queued(conn, found.id, step.stage.name, 0.0, **why)
        return False
    if lease.stage != step.stage.name or is_retry(lease.payload):
        queue.set_stage(conn, lease, step.stage.name)
    documents.start_attempt(conn, step.document.id, step.stage.name)
    return True


def fields_changed(conn: Connection, lease: Lease, step: Step, inputs: Iterable[StageValue]) -> bool:
    """Lock the job and return whether users have changed the fields that were loaded for this stage."""
    fields = [value for value in inputs if isinstance(value, DocumentFields)]
    if DocumentFields not in step.stage.inputs or not fields or queue.lock_lease(conn, lease) is None:
        return False
    # Editing a field locks the jobs of its document, so the fields cannot change from here on.
    return facts.load_fields(conn, step.document.id) != fields[0].fields


def save_page(conn: Connection, lease: Lease, step: Step, read: OcrPage) -> bool:
    """Save one page and restart the job's deadline; return False if the lease was lost."""
    if not queue.extend_deadline(conn, lease):
        return refuse(conn, lease)
    results.save_ocr_page(conn, step.document.id, read.page)
    if read.note:
        documents.add_note(conn, step.document.id, read.note)
    return True


def continue_in_new_job(conn: Connection, lease: Lease, step: Step, seconds: float) -> bool:
    """End the job before its stage is done and queue one that continues, so that other documents get a turn.

    Returns False if the lease was lost.
    """
    if not _settle(conn, Completion(lease)):
        return False
    recorded = results.load_stage_results(conn, step.document.id)
    _move_on(conn, lease, step.document, recorded, step.stage, seconds, same_job=False)
    return True


def record(conn: Connection, lease: Lease, step: Step, value: StageValue, seconds: float) -> RecordResult:
    """Save the value of a stage; advance the job to the next stage, or settle it and queue the next job.

    Returns REFUSED if the lease was lost.
    """
    # Lock the job before reading the results, because an edit by a user may delete some of them.
    if queue.lock_lease(conn, lease) is None:
        refuse(conn, lease)
        return REFUSED
    done = StageResult(step.stage.name, step.stage.version, "done", make_facts(value))
    recorded = results.load_stage_results(conn, step.document.id)
    outdated = _find_outdated(step.stage, recorded)
    remaining = [*(result for result in recorded if result.stage not in outdated), done]
    next_stage = None if get_single_stage(lease, recorded) else find_next_stage(conn, step.document, remaining)
    continues = next_stage is not None and next_stage.resource == step.stage.resource
    if not _settle_or_advance(conn, lease, next_stage if continues else None, Completion(lease)):
        return REFUSED
    if outdated:
        results.delete_stages(conn, step.document.id, outdated)
    save(conn, step.document, value)
    if isinstance(value, ExtractedText):
        queue_attachments(conn, lease, step.document, value.attachments)
    results.save_result(conn, lease, done, seconds=seconds)
    _move_on(conn, lease, step.document, remaining, next_stage, seconds, same_job=continues)
    return RecordResult(accepted=True, next_stage=next_stage if continues else None)


def _find_outdated(stage: Stage, recorded: Sequence[StageResult]) -> list[str]:
    """Return the stages with a result that depends on the output of this stage."""
    had = {result.stage for result in recorded}
    return [name for name in list_dependents(stage) if name in had]


def fail(conn: Connection, lease: Lease, failure: Failure, seconds: float = 0.0) -> bool:
    """Settle a failed job: retry it, or continue without its stage, or end it as a dead letter.

    Returns False if the lease was lost.
    """
    current = queue.lock_lease(conn, lease)
    if current is None:
        return refuse(conn, lease)
    final = is_final(current, failure)
    # Other types of jobs may refer to a document, but only its document job decides its status.
    if lease.type != "document" or lease.document_id is None:
        accepted = _settle(conn, _make_outcome(current, failure, final=final))
        if accepted and final:
            record_failed_extraction(conn, lease)
        return accepted
    document = _load_document(conn, lease)
    stage = _find_failed_stage(conn, current, document) if document else None
    reads_pages = document is not None and stage is not None and stage.per_page
    unread, has_text = results.load_reading_state(conn, lease.document_id) if reads_pages else ([], False)
    failure = name_unread_pages(failure, unread)
    alone = is_single_stage(lease.payload)
    if final and (alone or stage is None or not fails_document(stage, failure.category, has_text=has_text)):
        return _degrade(conn, current, document, stage, failure, seconds)
    if not _settle(conn, _make_outcome(current, failure, final=final)):
        return False
    why = {"category": failure.category, "reason": failure.message}
    if final:
        documents.mark_failed(conn, lease.document_id, seconds, **why)
    elif not alone:
        documents.mark_waiting(conn, lease.document_id, seconds, **why, snoozed=_is_snooze(current, failure))
    return True


def _find_failed_stage(conn: Connection, lease: Lease, document: Document) -> Stage | None:
    """Return the stage that a leased job of this document runs, or None if all stages have a result."""
    recorded = results.load_stage_results(conn, document.id)
    return get_single_stage(lease, recorded) or find_next_stage(conn, document, recorded)


def is_final(lease: Lease, failure: Failure) -> bool:
    """Return whether the job is not retried after this failure."""
    if _is_snooze(lease, failure):
        return False
    return isinstance(failure, Reject) or not get_category(failure.category).retry or lease.last_attempt


def _is_snooze(lease: Lease, failure: Failure) -> bool:
    """Return whether the job waits without using up an attempt; the total waiting time is limited."""
    return isinstance(failure, Wait) and lease.waited + failure.seconds <= failure.longest


def _make_outcome(lease: Lease, failure: Failure, *, final: bool) -> Outcome:
    if isinstance(failure, Wait) and _is_snooze(lease, failure):
        return Snooze(lease, failure.seconds, failure.category, failure.message)
    # Jitter needs no cryptographic randomness.
    delay = 0.0 if final else retry_delay(failure.category, lease.attempts, random.random())  # noqa: S311
    return JobFailure(lease, failure.category, failure.message, final, delay)


def _degrade(
    conn: Connection, lease: Lease, document: Document | None, stage: Stage | None, failure: Failure, seconds: float
) -> bool:
    """Settle the job, record its stage as degraded and queue the next one, so that the document is usable."""
    if not _settle(conn, Completion(lease, "degraded", failure.category, failure.message)):
        return False
    if document is None:
        return True
    single_stage = get_single_stage(lease, results.load_stage_results(conn, document.id))
    if stage is not None:
        reason = {"category": failure.category, "message": failure.message}
        degraded = StageResult(stage.name, stage.version, "degraded", reason)
        results.save_result(conn, lease, degraded, seconds=seconds)
    recorded = results.load_stage_results(conn, document.id)
    next_stage = None if single_stage else find_next_stage(conn, document, recorded)
    _move_on(conn, lease, document, recorded, next_stage, seconds, same_job=False)
    return True


def _move_on(
    conn: Connection,
    lease: Lease,
    document: Document,
    recorded: Sequence[StageResult],
    next_stage: Stage | None,
    seconds: float,
    *,
    same_job: bool,
) -> None:
    if next_stage is None:
        degraded_by, reason = find_degradation(recorded)
        documents.mark_completed(conn, document.id, seconds, category=degraded_by, reason=reason)
        if is_single_stage(lease.payload):
            return  # the document was completed before
        if enrichment := make_embedding_job(conn, document):
            queue.enqueue(conn, enrichment)
        log.event("document_completed", document=document.id, name=document.name, left_out=degraded_by)
        return
    degraded_by, reason = find_degraded_stage(recorded)
    mark = documents.record_progress if same_job else documents.mark_queued
    mark(conn, document.id, next_stage.name, seconds, category=degraded_by, reason=reason)
    if not same_job:
        queue.enqueue(conn, [make_stage_job(conn, document, next_stage, lease)])


def _settle_or_advance(conn: Connection, lease: Lease, continue_with: Stage | None, end: Completion) -> bool:
    if continue_with is not None:
        return queue.advance(conn, lease, continue_with.name) or refuse(conn, lease)
    return _settle(conn, end)


def _settle(conn: Connection, outcome: Outcome) -> bool:
    return outcome.lease.job_id in queue.settle(conn, [outcome]) or refuse(conn, outcome.lease)


def refuse(conn: Connection, lease: Lease) -> bool:
    """Count and log a result that arrived after the lease was lost; always return False."""
    queue.count_rejected(conn, [lease])
    log.warn("late_result_refused", job=lease.job_id, fence=lease.fence, worker=lease.worker_id)
    return False


def _end_without_work(conn: Connection, lease: Lease, document: Document | None) -> None:
    _settle(conn, Completion(lease, "done" if document else "cancelled"))
    if document is not None and document.status in ("pending", "processing"):
        degraded_by, reason = find_degradation(results.load_stage_results(conn, document.id))
        documents.mark_completed(conn, document.id, 0, category=degraded_by, reason=reason)


def _load_document(conn: Connection, lease: Lease) -> Document | None:
    try:
        return documents.get_document(conn, lease.document_id) if lease.document_id else None
    except NotFound:
        return None
