"""What lies ahead of a document: its next stage, with what its workspace offers, and the job that runs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from docyard.db import Connection
from docyard.model.connections import LlmConnection, pool_of
from docyard.model.documents import Document
from docyard.model.jobs import Lease, NewJob
from docyard.model.stages import Stage, StageResult
from docyard.model.tiers import Tier
from docyard.model.values import PageImage
from docyard.pipeline.road import is_ready, next_stage
from docyard.stages import stage as stage_named
from docyard.store.connections import classifying

_OFFERED = (LlmConnection, PageImage)
_ALONE = "alone"
WITHOUT_CONNECTION = "classify"  # a pool of cpu: the stage is passed by, and the next one runs there


def stage_ahead(conn: Connection, document: Document, recorded: Sequence[StageResult]) -> Stage | None:
    """The next stage of a document; a model is asked only where its workspace has chosen one."""
    without = next_stage(recorded)
    asking = next_stage(recorded, offered=_OFFERED)
    # Usually they are the same, and nobody need be asked.
    return asking if asking is without or classifying(conn, document.workspace_id) else without


def stage_job(conn: Connection, document: Document, stage: Stage, after: Lease | None = None) -> NewJob:
    """The job that runs a stage; it keeps the tier of the one before it, else its document's."""
    return NewJob(
        workspace_id=document.workspace_id,
        pool=_pool(conn, document, stage),
        type="document",
        stage=stage.name,
        document_id=document.id,
        tier=after.tier if after else document.tier,
        priority=document.priority,
        dedupe_key=f"road:{document.id}",
        arrived_at=after.arrived_at if after else document.created_at,
    )


def job_alone(conn: Connection, document: Document, stage: Stage) -> NewJob:
    """The job that runs one stage of a completed document and nothing after it, because a person waits."""
    job = stage_job(conn, document, stage)
    return replace(job, tier=Tier.USER_UPLOAD, payload={_ALONE: True}, arrived_at=None)


def is_alone(payload: Mapping[str, object]) -> bool:
    """Whether a job was queued for its stage alone; its document is usable all the while."""
    return payload.get(_ALONE) is True


def alone(lease: Lease, recorded: Sequence[StageResult]) -> Stage | None:
    """The stage that a job was queued for alone, while it has no result and gets all it needs."""
    if not is_alone(lease.payload):
        return None
    stage = stage_named(lease.stage or "")
    done = any((result.stage, result.version) == (stage.name, stage.version) for result in recorded)
    return stage if not done and is_ready(stage, recorded) else None


def _pool(conn: Connection, document: Document, stage: Stage) -> str:
    if not stage.outside:
        return stage.name
    connection = classifying(conn, document.workspace_id)
    return pool_of(connection) if connection else WITHOUT_CONNECTION
