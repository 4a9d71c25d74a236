"""What lies ahead of a document: its next stage, with what its workspace offers, and the job that runs it."""

from __future__ import annotations

from collections.abc import Sequence

from docyard.db import Connection
from docyard.model.connections import LlmConnection, pool_of
from docyard.model.documents import Document
from docyard.model.jobs import Lease, NewJob
from docyard.model.stages import Stage, StageResult
from docyard.model.values import PageImage
from docyard.pipeline.road import next_stage
from docyard.store.connections import classifying

_OFFERED = (LlmConnection, PageImage)
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


def _pool(conn: Connection, document: Document, stage: Stage) -> str:
    if not stage.outside:
        return stage.name
    connection = classifying(conn, document.workspace_id)
    return pool_of(connection) if connection else WITHOUT_CONNECTION
