"""The road of a document: which stage comes next, and the job that runs it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from docyard.db import Connection
from docyard.model.connections import LlmConnection, pool_of
from docyard.model.document_types import KnownTypes
from docyard.model.documents import Document
from docyard.model.jobs import Lease, NewJob
from docyard.model.stages import Stage, StageResult
from docyard.model.tiers import Tier
from docyard.model.values import Classified, PageImage, Source
from docyard.stages import STAGES
from docyard.stages import stage as stage_named
from docyard.store.connections import classifying

ENTRY = STAGES[0]  # where documents enter, and re-enter by SQL; the SQL doors know this stage alone
_OFFERED = (LlmConnection, PageImage)
_RESOURCES = {stage.name: stage.resource for stage in STAGES}
_ALONE, _RETRY, _WITHOUT = "alone", "retry", "without"


def next_stage(
    results: Iterable[StageResult], stages: Sequence[Stage] = STAGES, offered: Iterable[type] = ()
) -> Stage | None:
    """The first stage that has no result yet and gets all it needs; None when the road is done."""
    by_stage = {(result.stage, result.version): result for result in results}
    given: set[type] = {Source, KnownTypes, *offered}
    scans = 0
    for stage in stages:
        result = by_stage.get((stage.name, stage.version))
        needed = scans > 0 or not stage.each_page
        if result is None and needed and given.issuperset(stage.needs):
            return stage
        if result is not None and result.outcome == "done":
            given.add(stage.gives)
            scans = scan_count([result]) or scans
    return None


def is_ready(stage: Stage, results: Iterable[StageResult], stages: Sequence[Stage] = STAGES) -> bool:
    """Whether all that a stage needs of others was given, by whichever version of them."""
    done = {result.stage for result in results if result.outcome == "done"}
    return {Source, KnownTypes, *(each.gives for each in stages if each.name in done)}.issuperset(stage.needs)


def scan_count(results: Iterable[StageResult]) -> int:
    """How many pages of a document have to be read one by one, as the stage that found them noted."""
    return max((int(str(result.facts.get("scans", 0))) for result in results), default=0)


def depending(stage: Stage, stages: Sequence[Stage] = STAGES) -> list[str]:
    """The stages after this one that build on what it gives, or on what one of those gives."""
    renewed = {stage.gives}
    names = []
    for later in stages[stages.index(stage) + 1 :]:
        if renewed.intersection(later.needs):
            names.append(later.name)
            renewed.add(later.gives)
    return names


def current(results: Iterable[StageResult], stages: Sequence[Stage] = STAGES) -> list[StageResult]:
    """The results that still count: those of the versions on today's road."""
    versions = {(stage.name, stage.version) for stage in stages}
    return [result for result in results if (result.stage, result.version) in versions]


def degradation(results: Iterable[StageResult]) -> tuple[str | None, str | None]:
    """Category and reason of the first thing the document had to do without."""
    textless = False
    for result in current(results):
        if result.outcome == "degraded":
            return str(result.facts["category"]), str(result.facts["message"])
        textless = bool(result.facts.get("textless", textless))
    return ("no_text", "No text was found in it.") if textless else (None, None)


def givers(kind: type, stages: Sequence[Stage] = STAGES) -> list[str]:
    """The stages that give this value, in the order of the road; the last one has the last word."""
    return [stage.name for stage in stages if stage.gives is kind]


def stages_to_redo(results: Iterable[StageResult], *, titled: bool) -> list[str]:
    """What a retry of a completed document must run again: what was degraded, and a missing title."""
    degraded = {result.stage for result in current(results) if result.outcome == "degraded"}
    return sorted(degraded if titled else degraded | {givers(Classified)[0]})


def stage_ahead(conn: Connection, document: Document, recorded: Sequence[StageResult]) -> Stage | None:
    """The next stage of a document; a model is asked only where its workspace has chosen one."""
    without = next_stage(recorded)
    asking = next_stage(recorded, offered=_OFFERED)
    # Usually they are the same, and nobody need be asked.
    return asking if asking is without or classifying(conn, document.workspace_id) else without


def road_key(document_id: UUID) -> str:
    """The key of the one job that may be on a document's road."""
    return f"road:{document_id}"


def stage_job(conn: Connection, document: Document, stage: Stage, after: Lease | None = None) -> NewJob:
    """The job that runs a stage; it keeps the tier of the one before it, else its document's."""
    return NewJob(
        workspace_id=document.workspace_id,
        pool=pool_for(conn, document, stage),
        type="document",
        stage=stage.name,
        document_id=document.id,
        tier=after.tier if after else document.tier,
        priority=document.priority,
        dedupe_key=road_key(document.id),
        arrived_at=after.arrived_at if after else document.created_at,
    )


def job_alone(conn: Connection, document: Document, stage: Stage) -> NewJob:
    """The job that runs one stage of a completed document and nothing after it, because a person waits."""
    job = stage_job(conn, document, stage)
    return replace(job, tier=Tier.USER_UPLOAD, payload={_ALONE: True}, arrived_at=None)


def is_alone(payload: Mapping[str, object]) -> bool:
    """Whether a job was queued for its stage alone; its document is usable all the while."""
    return payload.get(_ALONE) is True


def is_retry(payload: Mapping[str, object]) -> bool:
    """Whether a SQL door asked for what did not succeed to be run again."""
    return payload.get(_RETRY) is True


def gave_up_on(payload: Mapping[str, object]) -> str | None:
    """Why a job shall go on without the model it waited for; None when it shall not."""
    reason = payload.get(_WITHOUT)
    return None if reason is None else str(reason)


def runs_here(conn: Connection, lease: Lease, document: Document, stage: Stage) -> bool:
    """Whether a stage may run in the pool of this job: its resource is the same, or it will be skipped."""
    if gave_up_on(lease.payload) is not None:
        return True
    if stage.outside:
        # Another connection's limits and breaker must not serve this one.
        return lease.pool == pool_for(conn, document, stage)
    # A pool of another build's stage is none of ours.
    return lease.pool in _RESOURCES and _RESOURCES[lease.pool] == stage.resource


def alone(lease: Lease, recorded: Sequence[StageResult]) -> Stage | None:
    """The stage that a job was queued for alone, while it has no result and gets all it needs."""
    if not is_alone(lease.payload):
        return None
    stage = stage_named(lease.stage or "")
    done = any((result.stage, result.version) == (stage.name, stage.version) for result in recorded)
    return stage if not done and is_ready(stage, recorded) else None


def pool_for(conn: Connection, document: Document, stage: Stage) -> str:
    """The pool in which a stage of a document runs."""
    if not stage.outside:
        return stage.name
    connection = classifying(conn, document.workspace_id)
    return pool_of(connection) if connection else ENTRY.name
