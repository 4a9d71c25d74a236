"""Direct mode: the same stages in the same confinement, without queue or database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from docyard.errors import Failure
from docyard.model import timeouts
from docyard.model.failures import Ending, category
from docyard.model.limits import Limits
from docyard.model.names import clean_name
from docyard.model.stages import Stage, StageResult
from docyard.model.values import Extracted, PageRead, Source, StageValue
from docyard.pipeline.by_page import page_reader, read_pages
from docyard.pipeline.children import ChildPool
from docyard.pipeline.road import next_stage
from docyard.pipeline.run import attempt
from docyard.pipeline.values import facts_of


@dataclass(frozen=True, slots=True)
class Processed:
    """What became of one file: its values, and the failure if one ended or degraded it."""

    path: Path
    values: tuple[StageValue, ...]
    failure: Failure | None

    @property
    def failed(self) -> bool:
        """Whether the file could not be read at all."""
        return self.failure is not None and category(self.failure.category).ending is Ending.FAILED


def process_file(
    children: ChildPool, limits: Limits, path: Path, on_stage: Callable[[str], None] = lambda _: None
) -> Processed:
    """Run one file along the whole road, now."""
    values: list[StageValue] = [Source(path, clean_name(path.name, limits.name_bytes), None, None)]
    recorded: list[StageResult] = []
    failure: Failure | None = None
    while (stage := next_stage(recorded)) is not None:
        on_stage(stage.name)
        try:
            value = _run(children, limits, stage, values, path)
        except Failure as error:
            failure = failure or error
            if category(error.category).ending is Ending.FAILED:
                break
            recorded.append(StageResult(stage.name, stage.version, "degraded"))
            continue
        values.append(value)
        recorded.append(StageResult(stage.name, stage.version, "done", facts_of(value)))
    return Processed(path, tuple(values), failure)


def _run(
    children: ChildPool, limits: Limits, stage: Stage, values: list[StageValue], key: object
) -> StageValue:
    if not stage.each_page:
        return attempt(children, limits, stage, values, longest=timeouts.DOCUMENT, key=key)[0]
    at, extracted = next((at, value) for at, value in enumerate(values) if isinstance(value, Extracted))
    pages = {page.number: page for page in extracted.pages}
    notes = list(extracted.notes)

    def keep(read: PageRead) -> None:
        pages[read.page.number] = read.page
        notes.extend([read.note] if read.note else [])

    try:
        read = page_reader(children, limits, stage, values, key=key)
        return read_pages(extracted.pages, read, keep)
    finally:
        # What was read is there for the stages after this one, also when some page could not be read.
        values[at] = replace(extracted, pages=tuple(pages.values()), notes=tuple(notes))
