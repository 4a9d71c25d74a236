"""Document jobs; a job runs consecutive stages that use the same resource, and saves each result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from docyard import clock, log
from docyard.db import Database
from docyard.errors import Reject, Retry
from docyard.model import timeouts
from docyard.model.connections import LlmConnection
from docyard.model.jobs import Lease
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import DocumentFields, ExtractedText, OcrPage, OcrProgress, PageImage, Source
from docyard.model.stages import Stage, StageInput
from docyard.model.text.pages import Page
from docyard.pipeline import step as steps
from docyard.pipeline.attachments import limit_attachments
from docyard.pipeline.children import ChildPool
from docyard.pipeline.children.tasks import run_stage
from docyard.pipeline.llm_stage import load_classifier, raise_if_skipped, render_page_image
from docyard.pipeline.page_stages import make_page_reader, read_pages
from docyard.pipeline.stage_order import is_single_stage
from docyard.pipeline.storage.facts import reload_fields
from docyard.pipeline.storage.values import load, open_source
from docyard.pipeline.unlocked_copies import find_unlocked_key
from docyard.store.blobs import FolderBlobs
from docyard.store.key_encryption import KeyCipher


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The services and limits that document processing needs."""

    db: Database
    blobs: FolderBlobs
    children: ChildPool
    limits: Limits
    is_stopping: Callable[[], bool] = lambda: False  # whether this process was asked to stop
    cipher: KeyCipher | None = None  # decrypts the keys of LLM connections; None disables LLM stages


def run_document(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> None:
    """Run the stages of a leased document job; if a stage raises a Failure, the caller settles the job."""
    with pipeline.db.transaction() as conn:
        step = steps.begin(conn, lease)
        unlocked = find_unlocked_key(conn, step.document) if step else None
    if step is None:
        return
    with _open_inputs(pipeline, lease, step, unlocked) as values:
        spent = step.document.running_seconds
        stage: Stage | None = step.stage
        while stage is not None:
            if lost():
                raise Retry("worker_lost", "The worker lost its lease between two stages.")
            current_step = steps.Step(step.document, stage, step.scans)
            value, seconds = _run_stage(pipeline, lease, current_step, values, spent)
            spent += seconds
            with pipeline.db.transaction() as conn:
                if isinstance(value, OcrProgress) and value.pages_left:
                    steps.continue_in_new_job(conn, lease, current_step, seconds)
                    return
                if steps.fields_changed(conn, lease, current_step, values):
                    values[:] = [each for each in values if not isinstance(each, DocumentFields)]
                    continue
                value = limit_attachments(conn, step.document, value, pipeline.limits)
                stage = steps.record(conn, lease, current_step, value, seconds).next_stage
                value = reload_fields(conn, step.document, value)
            values.append(value)


@contextmanager
def _open_inputs(
    pipeline: Pipeline, lease: Lease, step: steps.Step, unlocked: str | None
) -> Iterator[list[StageValue]]:
    """Yield the initial inputs of a job: the file, or nothing for a single stage that does not need it."""
    if is_single_stage(lease.payload) and Source not in step.stage.inputs:
        yield []
        return
    with open_source(pipeline.blobs, step.document, unlocked) as source:
        yield [source]


def _run_stage(
    pipeline: Pipeline, lease: Lease, step: steps.Step, values: list[StageValue], spent: float
) -> tuple[StageValue, float]:
    allowed = timeouts.DOCUMENT + step.scans * pipeline.limits.page_seconds
    remaining = allowed - spent
    if remaining <= 0:
        raise Reject("timeout", f"Processing the document took longer than the {allowed:.0f} seconds allowed for it.")
    missing = [kind for kind in step.stage.inputs if kind not in {type(value) for value in values}]
    stored = [kind for kind in missing if kind not in (LlmConnection, PageImage)]
    if stored:
        with pipeline.db.transaction() as conn:
            values.extend(load(conn, step.document, stored))
    log.debug("stage_started", document=step.document.id, stage=step.stage.name, job=lease.job_id)
    if step.stage.per_page:
        return _read_pages(pipeline, lease, step, values)
    if step.stage.runs_in_worker:
        raise_if_skipped(lease)
        values.append(load_classifier(pipeline.db, pipeline.cipher, step.document))
        values.append(render_page_image(pipeline.children, step.document, values, lease.job_id))
    return run_stage_once(pipeline.children, pipeline.limits, step.stage, values, longest=remaining, key=lease.job_id)


def _read_pages(
    pipeline: Pipeline, lease: Lease, step: steps.Step, values: list[StageValue]
) -> tuple[StageValue, float]:
    """Run a stage on each scanned page; save each page in its own transaction, which checks the lease."""
    started = clock.monotonic()

    def keep(read: OcrPage) -> None:
        with pipeline.db.transaction() as conn:
            leased = steps.save_page(conn, lease, step, read)
        if not leased:
            raise Retry("worker_lost", "The worker lost its lease between two pages.")

    (extracted,) = (value for value in values if isinstance(value, ExtractedText))
    read_in_child = make_page_reader(pipeline.children, pipeline.limits, step.stage, values, key=lease.job_id)

    def read(page: Page) -> OcrPage:
        # Otherwise, the page would be kept as unreadable because the store was away for a moment.
        with pipeline.blobs.explain_failures(step.document.blob_key or ""):
            return read_in_child(page)

    def turn_is_over() -> bool:
        return pipeline.is_stopping() or clock.monotonic() - started > pipeline.limits.turn_seconds

    reading = read_pages(extracted.pages, read, keep, turn_is_over)
    return reading, clock.monotonic() - started


def run_stage_once(
    children: ChildPool,
    limits: Limits,
    stage: Stage,
    values: Iterable[StageValue],
    *,
    longest: float,
    key: object,
    on_page: Callable[[int, int], None] | None = None,
) -> tuple[StageValue, float]:
    """Run one stage, in a child unless it needs the network; return its value and the seconds it took."""
    started = clock.monotonic()
    needed = [value for value in values if type(value) in stage.inputs]
    seconds = min(limits.stage_seconds, longest)
    if stage.runs_in_worker:
        inputs = StageInput(needed, replace(limits, ai_seconds=min(limits.ai_seconds, longest)))
        return stage.run(inputs), clock.monotonic() - started
    inputs = StageInput(needed, limits)
    value = children.call(run_stage, stage.name, inputs, seconds=seconds, key=key, on_page=on_page)
    return value, clock.monotonic() - started
