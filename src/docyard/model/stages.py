"""Stages: named, versioned functions from values to a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from docyard.model.connections import LlmConnection
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue

Value = TypeVar("Value")


class StageInput:
    """The inputs of a stage by type, and the limits that it must respect."""

    def __init__(self, values: Iterable[StageValue], limits: Limits) -> None:
        self._values: dict[type, StageValue] = {type(value): value for value in values}
        self.limits = limits

    def get(self, kind: type[Value]) -> Value:
        """Return the input of this type."""
        value = self._values.get(kind)
        if not isinstance(value, kind):
            raise TypeError(f"the input {kind.__name__} is missing")
        return value


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of document processing; results of lower versions are outdated."""

    name: str
    version: int
    resource: str
    inputs: tuple[type[StageValue], ...]
    output: type[StageValue]
    run: Callable[[StageInput], StageValue]
    label: str  # display name
    activity: str  # description shown while it runs
    required: bool = False  # if it fails for good, the document is failed, not only incomplete
    per_page: bool = False  # run separately for each scanned page, with a time limit per page

    def __post_init__(self) -> None:
        if (self.resource == "llm") != self.runs_in_worker:
            raise ValueError(
                f"The stage {self.name} must use the resource llm if and only if it needs an LlmConnection."
            )

    @property
    def runs_in_worker(self) -> bool:
        """Whether the stage runs in the worker process: child processes cannot reach the LLM it needs."""
        return LlmConnection in self.inputs


@dataclass(frozen=True, slots=True)
class StageResult:
    """The result of one version of a stage for a document: done, or degraded with the reason in `facts`."""

    stage: str
    version: int
    outcome: str = "done"
    facts: Mapping[str, object] = field(default_factory=dict)
