"""Which stage comes next, by what the stages before have come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docyard.model.stages import Stage, StageResult
from docyard.model.values import Source
from docyard.stages import STAGES


def next_stage(results: Iterable[StageResult], stages: Sequence[Stage] = STAGES) -> Stage | None:
    """The first stage that has no result yet and gets all it needs; None when the road is done."""
    by_stage = {(result.stage, result.version): result for result in results}
    given: set[type] = {Source}
    for stage in stages:
        result = by_stage.get((stage.name, stage.version))
        if result is None and given.issuperset(stage.needs):
            return stage
        if result is not None and result.outcome == "done":
            given.add(stage.gives)
    return None


def needing(name: str, stages: Sequence[Stage] = STAGES) -> list[str]:
    """The stages that need what this one gives, or what such a stage gives: stale once it is done anew."""
    given: set[type] = {stage.gives for stage in stages if stage.name == name}
    found = []
    for stage in stages:
        if stage.name != name and given.intersection(stage.needs):
            found.append(stage.name)
            given.add(stage.gives)
    return found


def current(results: Iterable[StageResult], stages: Sequence[Stage] = STAGES) -> list[StageResult]:
    """The results that still count: those of the versions on today's road."""
    versions = {(stage.name, stage.version) for stage in stages}
    return [result for result in results if (result.stage, result.version) in versions]


def degradation(results: Iterable[StageResult]) -> tuple[str | None, str | None]:
    """Category and reason of the first thing the document had to do without."""
    for result in current(results):
        if result.outcome == "degraded":
            return str(result.facts["category"]), str(result.facts["message"])
        if result.facts.get("textless"):
            return "no_text", "No text was found in it; it is probably a scan, which is not read yet."
    return None, None


def stages_to_redo(results: Iterable[StageResult], *, titled: bool) -> list[str]:
    """What a retry of a completed document must run again: what was degraded, and a missing title."""
    degraded = {result.stage for result in current(results) if result.outcome == "degraded"}
    return sorted(degraded if titled else degraded | {"classify"})
