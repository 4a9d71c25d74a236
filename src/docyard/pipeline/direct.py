"""Direct mode: the same stages in the same confinement, without queue or database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from docyard.errors import Failure
from docyard.model import timeouts
from docyard.model.failures import Ending, category
from docyard.model.limits import Limits
from docyard.model.names import clean_name
from docyard.model.stages import StageResult
from docyard.model.values import Source, StageValue
from docyard.pipeline.children import ChildPool
from docyard.pipeline.road import next_stage
from docyard.pipeline.run import attempt


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
            value, _ = attempt(children, limits, stage, values, longest=timeouts.DOCUMENT, key=path)
        except Failure as error:
            failure = failure or error
            if category(error.category).ending is Ending.FAILED:
                break
            recorded.append(StageResult(stage.name, stage.version, "degraded"))
            continue
        values.append(value)
        recorded.append(StageResult(stage.name, stage.version))
    return Processed(path, tuple(values), failure)
