"""Processing of a document with a scanned page, without OCR: prepared values are recorded instead."""

from __future__ import annotations

from uuid import UUID

from docyard import queue
from docyard.db import Database
from docyard.model.jobs import Lease
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import ExtractedText, OcrPage, OcrProgress
from docyard.model.text.pages import OCR, SCAN, Page
from docyard.pipeline import step as steps
from tests.pipeline.stage_runs import VALUES, arrive

SCANNED: dict[str, StageValue] = {
    **VALUES,
    "extract": ExtractedText((Page(1, "", 10.0, 10.0, source=SCAN), Page(2, "words"))),
    "ocr": OcrProgress(1, textless=False),
}
READ = OcrPage(Page(1, "read", 10.0, 10.0, bytes(24), source=OCR, confidences=b"\x50"), "Half of it is missing.")


def claim(database: Database, worker: UUID, pool: str) -> Lease:
    with database.transaction() as conn:
        (lease,) = queue.claim(conn, pool, worker, 1)
    return lease


def bring_to_ocr(database: Database, workspace: UUID, worker: UUID) -> tuple[UUID, Lease, steps.Step]:
    """Return a document whose next stage is OCR, the worker's lease of its job, and the step."""
    document = arrive(database, workspace)
    run_job(database, claim(database, worker, "fetch"))
    lease = claim(database, worker, "ocr")
    with database.transaction() as conn:
        step = steps.begin(conn, lease)
    assert step is not None
    assert step.stage.name == "ocr"
    return document, lease, step


def run_job(database: Database, lease: Lease) -> None:
    with database.transaction() as conn:
        step = steps.begin(conn, lease)
    while step is not None:
        with database.transaction() as conn:
            next_stage = steps.record(conn, lease, step, SCANNED[step.stage.name], 1.0).next_stage
        step = steps.Step(step.document, next_stage) if next_stage else None
