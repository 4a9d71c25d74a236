"""Running a document along the road: the stages of one resource in one job, each recorded when done."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from docyard import clock, log
from docyard.db import Database
from docyard.errors import Reject, Retry
from docyard.model import timeouts
from docyard.model.jobs import Lease
from docyard.model.limits import Limits
from docyard.model.stages import Given, Stage
from docyard.model.values import StageValue
from docyard.pipeline import step as steps
from docyard.pipeline.attachments import within_family
from docyard.pipeline.children import ChildPool
from docyard.pipeline.children.tasks import run_stage
from docyard.pipeline.values import load, open_source
from docyard.store.blobs import FolderBlobs


@dataclass(frozen=True, slots=True)
class Pipeline:
    """What it takes to run documents."""

    db: Database
    blobs: FolderBlobs
    children: ChildPool
    limits: Limits


def run_document(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> None:
    """Run a leased job to its end; a Failure leaves it to be settled by the caller."""
    with pipeline.db.transaction() as conn:
        step = steps.begin(conn, lease)
    if step is None:
        return
    with open_source(pipeline.blobs, step.document) as source:
        spent = step.document.running_seconds
        values: list[StageValue] = [source]
        stage: Stage | None = step.stage
        while stage is not None:
            if lost():
                raise Retry("worker_lost", "The worker lost its lease between two stages.")
            now = steps.Step(step.document, stage)
            value, seconds = _run_one(pipeline, lease, now, values, spent)
            spent += seconds
            with pipeline.db.transaction() as conn:
                value = within_family(conn, step.document, value, pipeline.limits)
                stage = steps.record(conn, lease, now, value, seconds).next_stage
            values.append(value)


def _run_one(
    pipeline: Pipeline, lease: Lease, step: steps.Step, values: list[StageValue], spent: float
) -> tuple[StageValue, float]:
    left = timeouts.DOCUMENT - spent
    if left <= 0:
        raise Reject("timeout", f"The document used up its {timeouts.DOCUMENT:.0f} seconds of processing.")
    missing = [kind for kind in step.stage.needs if kind not in {type(value) for value in values}]
    if missing:
        with pipeline.db.transaction() as conn:
            values.extend(load(conn, step.document, missing))
    log.debug("stage_started", document=step.document.id, stage=step.stage.name, job=lease.job_id)
    return attempt(pipeline.children, pipeline.limits, step.stage, values, longest=left, key=lease.job_id)


def attempt(
    children: ChildPool,
    limits: Limits,
    stage: Stage,
    values: Iterable[StageValue],
    *,
    longest: float,
    key: object,
) -> tuple[StageValue, float]:
    """Run one stage confined; gives its value and the seconds it took."""
    began = clock.monotonic()
    needed = [value for value in values if type(value) in stage.needs]
    seconds = min(limits.stage_seconds, longest)
    value = children.call(run_stage, stage.name, Given(needed, limits), seconds=seconds, key=key)
    return value, clock.monotonic() - began
