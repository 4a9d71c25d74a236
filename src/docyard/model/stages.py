"""What a stage is: a named, versioned function from values to a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from docyard.model.connections import LlmConnection
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue

Value = TypeVar("Value")


class Given:
    """The values a stage asked for, by their type, and the limits it must keep."""

    def __init__(self, values: Iterable[StageValue], limits: Limits) -> None:
        self._values: dict[type, StageValue] = {type(value): value for value in values}
        self.limits = limits

    def the(self, kind: type[Value]) -> Value:
        """The one value of that kind."""
        value = self._values[kind]
        if not isinstance(value, kind):
            raise TypeError(f"{kind.__name__} was not given")
        return value


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of the road; a higher version makes earlier results outdated."""

    name: str
    version: int
    resource: str
    needs: tuple[type[StageValue], ...]
    gives: type[StageValue]
    run: Callable[[Given], StageValue]
    label: str  # what people call it
    activity: str  # what happens while it runs, in words for people
    each_page: bool = False  # run for each page that is a scan, in its own time

    def __post_init__(self) -> None:
        if (self.resource == "llm") != self.outside:
            raise ValueError(
                f"The stage {self.name} must need a connection if, and only if, it needs an LLM."
            )

    @property
    def outside(self) -> bool:
        """Whether it runs in the worker's own process, because confined children have no network."""
        return LlmConnection in self.needs


@dataclass(frozen=True, slots=True)
class StageResult:
    """What a version of a stage came to for a document: done, or degraded with the reason in its facts."""

    stage: str
    version: int
    outcome: str = "done"
    facts: Mapping[str, object] = field(default_factory=dict)
