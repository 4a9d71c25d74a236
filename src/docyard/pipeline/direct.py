"""Direct mode: the same stages in the same confinement, without queue or database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from docyard import clock
from docyard.errors import Failure, Reject
from docyard.model import timeouts
from docyard.model.document_types import KnownTypes
from docyard.model.failures import Ending, category
from docyard.model.limits import Limits
from docyard.model.names import clean_name
from docyard.model.stage_value import StageValue
from docyard.model.stages import Stage, StageResult
from docyard.model.values import Extracted, PageRead, Source
from docyard.pipeline.children import ChildPool
from docyard.pipeline.page_stages import page_reader, read_pages
from docyard.pipeline.road import degradation, next_stage
from docyard.pipeline.run import attempt
from docyard.pipeline.storage.values import facts_of


class Watcher:
    """Whoever wants to see how far a file has come; this one looks away."""

    def stage(self, name: str) -> None:
        """A stage begins."""

    def page(self, page: int, pages: int) -> None:
        """So many pages of it are read."""


@dataclass(frozen=True, slots=True)
class Processed:
    """What became of one file: its values, the failure if one ended or degraded it, seconds by stage."""

    path: Path
    values: tuple[StageValue, ...]
    failure: Failure | None
    seconds: tuple[tuple[str, float], ...] = ()

    @property
    def failed(self) -> bool:
        """Whether the file could not be read at all."""
        return self.failure is not None and category(self.failure.category).ending is Ending.FAILED


def process_file(
    children: ChildPool, limits: Limits, path: Path, watcher: Watcher | None = None
) -> Processed:
    """Run one file along the whole road, now."""
    watcher = watcher or Watcher()
    source = Source(path, clean_name(path.name, limits.name_bytes), None, None)
    values: list[StageValue] = [source, KnownTypes()]
    recorded: list[StageResult] = []
    taken: list[tuple[str, float]] = []
    failure: Failure | None = None
    while (stage := next_stage(recorded)) is not None:
        watcher.stage(stage.name)
        began = clock.monotonic()
        try:
            value = _run(children, limits, stage, values, path, watcher.page)
            values.append(value)
            recorded.append(StageResult(stage.name, stage.version, "done", facts_of(value)))
        except Failure as error:
            failure = failure or error
            if category(error.category).ending is Ending.FAILED:
                break
            told = {"category": error.category, "message": error.message}
            recorded.append(StageResult(stage.name, stage.version, "degraded", told))
        finally:
            taken.append((stage.name, clock.monotonic() - began))
    if failure is None and (lacking := degradation(recorded))[0] is not None:
        failure = Reject(lacking[0], lacking[1] or "")
    return Processed(path, tuple(values), failure, tuple(taken))


def _run(
    children: ChildPool,
    limits: Limits,
    stage: Stage,
    values: list[StageValue],
    key: object,
    on_page: Callable[[int, int], None],
) -> StageValue:
    if not stage.each_page:
        longest = timeouts.DOCUMENT
        return attempt(children, limits, stage, values, longest=longest, key=key, on_page=on_page)[0]
    at, extracted = next((at, value) for at, value in enumerate(values) if isinstance(value, Extracted))
    pages = {page.number: page for page in extracted.pages}
    notes = list(extracted.notes)

    def keep(read: PageRead) -> None:
        pages[read.page.number] = read.page
        on_page(read.page.number, len(pages))
        notes.extend([read.note] if read.note else [])

    try:
        read = page_reader(children, limits, stage, values, key=key)
        return read_pages(extracted.pages, read, keep)
    finally:
        # What was read is there for the stages after this one, also when some page could not be read.
        values[at] = replace(extracted, pages=tuple(pages.values()), notes=tuple(notes))
