"""The order of a document's stages: which stage is next, and the job that runs it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from docyard.db import Connection
from docyard.model.connections import LlmConnection, connection_pool_name
from docyard.model.document_types import WorkspaceTypes
from docyard.model.documents import Document
from docyard.model.failures import get_category
from docyard.model.jobs import Lease, NewJob
from docyard.model.stage_values import Classification, PageImage, Source
from docyard.model.stages import Stage, StageResult
from docyard.model.tiers import Tier
from docyard.stages import STAGES, get_stage
from docyard.store.connections import find_classifier

ENTRY_STAGE = STAGES[0]  # SQL always queues documents for this stage; the worker then moves the job
_LLM_INPUTS = (LlmConnection, PageImage)
_RESOURCES = {stage.name: stage.resource for stage in STAGES}
_ALONE, _RETRY, _WITHOUT = "alone", "retry", "without"


def choose_next_stage(
    results: Iterable[StageResult], stages: Sequence[Stage] = STAGES, offered: Iterable[type] = ()
) -> Stage | None:
    """Return the first stage whose inputs exist and whose current version has no result, or None.

    Stages that run per page are skipped if the document has no scans. `offered` lists additional inputs.
    """
    by_stage = {(result.stage, result.version): result for result in results}
    available: set[type] = {Source, WorkspaceTypes, *offered}
    scans = 0
    for stage in stages:
        result = by_stage.get((stage.name, stage.version))
        needed = scans > 0 or not stage.per_page
        if result is None and needed and available.issuperset(stage.inputs):
            return stage
        if result is not None and result.outcome == "done":
            available.add(stage.output)
            scans = count_scans([result]) or scans
    return None


def is_ready(stage: Stage, results: Iterable[StageResult], stages: Sequence[Stage] = STAGES) -> bool:
    """Return whether the inputs of a stage exist, even if outdated versions of stages made them."""
    done = {result.stage for result in results if result.outcome == "done"}
    return {Source, WorkspaceTypes, *(each.output for each in stages if each.name in done)}.issuperset(stage.inputs)


def count_scans(results: Iterable[StageResult]) -> int:
    """Return the number of scanned pages of a document, as recorded by the stage that found them."""
    return max((int(str(result.facts.get("scans", 0))) for result in results), default=0)


def list_dependents(stage: Stage, stages: Sequence[Stage] = STAGES) -> list[str]:
    """Return the later stages that use the output of this stage, directly or through another stage."""
    renewed = {stage.output}
    names = []
    for later in stages[stages.index(stage) + 1 :]:
        if renewed.intersection(later.inputs):
            names.append(later.name)
            renewed.add(later.output)
    return names


def filter_current(results: Iterable[StageResult], stages: Sequence[Stage] = STAGES) -> list[StageResult]:
    """Return the results made by the current versions of the stages."""
    versions = {(stage.name, stage.version) for stage in stages}
    return [result for result in results if (result.stage, result.version) in versions]


def find_degradation(results: Iterable[StageResult]) -> tuple[str | None, str | None]:
    """Return category and reason of the first degraded stage, else of missing text, else (None, None)."""
    current = filter_current(results)
    if any(result.outcome == "degraded" for result in current):
        return find_degraded_stage(current)
    textless = False
    for result in current:
        textless = bool(result.facts.get("textless", textless))
    return ("no_text", "No text was found in it.") if textless else (None, None)


def find_degraded_stage(results: Iterable[StageResult]) -> tuple[str | None, str | None]:
    """Return category and reason of the first degraded stage, else (None, None)."""
    for result in filter_current(results):
        if result.outcome == "degraded":
            return str(result.facts["category"]), str(result.facts["message"])
    return None, None


def fails_document(stage: Stage, category: str, *, has_text: bool) -> bool:
    """Return whether a document is failed if this stage has failed for good; otherwise it is incomplete or noted.

    A stage that reads single pages fails the document only if no page has text.
    """
    if not stage.required or get_category(category).noted:
        return False
    return not (stage.per_page and has_text)


def list_producers(kind: type, stages: Sequence[Stage] = STAGES) -> list[str]:
    """Return the stages that output this type of value, in order; the last one takes precedence."""
    return [stage.name for stage in stages if stage.output is kind]


def list_stages_to_redo(results: Iterable[StageResult], *, titled: bool) -> list[str]:
    """Return the stages that a retry runs again: degraded ones, and classification if there is no title."""
    degraded = {result.stage for result in filter_current(results) if result.outcome == "degraded"}
    return sorted(degraded if titled else degraded | {list_producers(Classification)[0]})


def find_next_stage(conn: Connection, document: Document, recorded: Sequence[StageResult]) -> Stage | None:
    """Return the next stage of a document; LLM stages count only if its workspace has chosen a connection."""
    without_llm = choose_next_stage(recorded)
    with_llm = choose_next_stage(recorded, offered=_LLM_INPUTS)
    # Usually both are the same stage, and the query is not needed.
    return with_llm if with_llm is without_llm or find_classifier(conn, document.workspace_id) else without_llm


def document_job_key(document_id: UUID) -> str:
    """Return the dedupe key of document jobs, which allows one live job per document."""
    return f"road:{document_id}"


def make_stage_job(conn: Connection, document: Document, stage: Stage, after: Lease | None = None) -> NewJob:
    """Return the job that runs a stage; tier and arrival are those of the job `after`, or the document's."""
    return NewJob(
        workspace_id=document.workspace_id,
        pool=choose_pool(conn, document, stage),
        type="document",
        stage=stage.name,
        document_id=document.id,
        tier=after.tier if after else document.tier,
        priority=document.priority,
        dedupe_key=document_job_key(document.id),
        arrived_at=after.arrived_at if after else document.created_at,
    )


def make_single_stage_job(conn: Connection, document: Document, stage: Stage) -> NewJob:
    """Return a job that runs only this stage of a completed document, in the tier of user uploads."""
    job = make_stage_job(conn, document, stage)
    return replace(job, tier=Tier.USER_UPLOAD, payload={_ALONE: True}, arrived_at=None)


def is_single_stage(payload: Mapping[str, object]) -> bool:
    """Return whether a job was queued for a single stage of a completed document."""
    return payload.get(_ALONE) is True


def is_retry(payload: Mapping[str, object]) -> bool:
    """Return whether the job was queued by SQL to retry the failed and degraded stages."""
    return payload.get(_RETRY) is True


def get_skip_reason(payload: Mapping[str, object]) -> str | None:
    """Return why the LLM stage of this job is to be skipped, or None if it is not."""
    reason = payload.get(_WITHOUT)
    return None if reason is None else str(reason)


def can_run_in_pool(conn: Connection, lease: Lease, document: Document, stage: Stage) -> bool:
    """Return whether the job may run this stage in its current pool; otherwise it must be moved."""
    if get_skip_reason(lease.payload) is not None:
        return True  # the LLM stage is rejected without a call
    if stage.runs_in_worker:
        # The limits and the circuit breaker of one connection must not apply to another.
        return lease.pool == choose_pool(conn, document, stage)
    # A job of another build may be in a pool that this build does not have.
    return lease.pool in _RESOURCES and _RESOURCES[lease.pool] == stage.resource


def get_single_stage(lease: Lease, recorded: Sequence[StageResult]) -> Stage | None:
    """Return the stage of a single-stage job if it has no result yet and its inputs exist, else None."""
    if not is_single_stage(lease.payload):
        return None
    stage = get_stage(lease.stage or "")
    done = any((result.stage, result.version) == (stage.name, stage.version) for result in recorded)
    return stage if not done and is_ready(stage, recorded) else None


def choose_pool(conn: Connection, document: Document, stage: Stage) -> str:
    """Return the pool in which a stage of a document runs."""
    if not stage.runs_in_worker:
        return stage.name
    connection = find_classifier(conn, document.workspace_id)
    return connection_pool_name(connection) if connection else ENTRY_STAGE.name
