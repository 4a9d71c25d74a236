"""Direct mode: the same stages in confined children, but without queue and database."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from docyard import clock
from docyard.errors import Failure, Reject
from docyard.model import timeouts
from docyard.model.document_types import WorkspaceTypes
from docyard.model.limits import Limits
from docyard.model.names import clean_name
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import ExtractedText, OcrPage, Source
from docyard.model.stages import Stage, StageResult
from docyard.model.text.pages import SCAN
from docyard.pipeline.children import ChildPool
from docyard.pipeline.page_stages import make_page_reader, name_unread_pages, read_pages
from docyard.pipeline.run import run_stage_once
from docyard.pipeline.stage_order import choose_next_stage, fails_document, find_degradation
from docyard.pipeline.storage.values import make_facts


class ProgressListener:
    """A listener for the progress of a file; this base class ignores all reports."""

    def stage(self, name: str) -> None:
        """Report that this stage has started."""

    def page(self, page: int, pages: int) -> None:
        """Report the current page and the number of pages."""


@dataclass(frozen=True, slots=True)
class FileResult:
    """The result of one file: the stage values, what failed, if anything, and the seconds per stage."""

    path: Path
    values: tuple[StageValue, ...]
    failure: Failure | None
    seconds: tuple[tuple[str, float], ...] = ()
    failed: bool = False  # a required stage failed; otherwise the file is processed without the failed stages


def process_file(
    children: ChildPool, limits: Limits, path: Path, watcher: ProgressListener | None = None
) -> FileResult:
    """Run all stages except those that need an LLM on one file; a Failure is returned, not raised."""
    watcher = watcher or ProgressListener()
    source = Source(path, clean_name(path.name, limits.name_bytes), None, None)
    values: list[StageValue] = [source, WorkspaceTypes()]
    recorded: list[StageResult] = []
    timings: list[tuple[str, float]] = []
    failure: Failure | None = None
    while failure is None and (stage := choose_next_stage(recorded)) is not None:
        watcher.stage(stage.name)
        started = clock.monotonic()
        try:
            value = _run_stage(children, limits, stage, values, path, watcher.page)
            values.append(value)
            recorded.append(StageResult(stage.name, stage.version, "done", make_facts(value)))
        except Failure as error:
            reason, failed = _judge_failure(stage, error, values)
            failure = reason if failed else None
            facts = {"category": reason.category, "message": reason.message}
            recorded.append(StageResult(stage.name, stage.version, "degraded", facts))
        finally:
            timings.append((stage.name, clock.monotonic() - started))
    missing = failure or _find_missing(recorded)
    return FileResult(path, tuple(values), missing, tuple(timings), failed=failure is not None)


def _judge_failure(stage: Stage, failure: Failure, values: Iterable[StageValue]) -> tuple[Failure, bool]:
    """Return the failure with the pages that were not read, and whether the file is failed because of it."""
    pages = [page for value in values if isinstance(value, ExtractedText) for page in value.pages]
    unread = [page.number for page in pages if page.source == SCAN and stage.per_page]
    has_text = any(page.text.strip() for page in pages)
    return name_unread_pages(failure, unread), fails_document(stage, failure.category, has_text=has_text)


def _find_missing(recorded: Iterable[StageResult]) -> Failure | None:
    category, reason = find_degradation(recorded)
    return Reject(category, reason or "") if category else None


def _run_stage(
    children: ChildPool,
    limits: Limits,
    stage: Stage,
    values: list[StageValue],
    key: object,
    on_page: Callable[[int, int], None],
) -> StageValue:
    if not stage.per_page:
        longest = timeouts.DOCUMENT
        return run_stage_once(children, limits, stage, values, longest=longest, key=key, on_page=on_page)[0]
    index, extracted = next((at, value) for at, value in enumerate(values) if isinstance(value, ExtractedText))
    pages = {page.number: page for page in extracted.pages}
    notes = list(extracted.notes)

    def keep(read: OcrPage) -> None:
        pages[read.page.number] = read.page
        on_page(read.page.number, len(pages))
        notes.extend([read.note] if read.note else [])

    try:
        read = make_page_reader(children, limits, stage, values, key=key)
        return read_pages(extracted.pages, read, keep)
    finally:
        # Later stages get the pages that were read, even if other pages failed.
        values[index] = replace(extracted, pages=tuple(pages.values()), notes=tuple(notes))
