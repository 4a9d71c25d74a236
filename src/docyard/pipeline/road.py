"""Which stage comes next, by what the stages before have come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docyard.model.document_types import KnownTypes
from docyard.model.stages import Stage, StageResult
from docyard.model.values import Source
from docyard.stages import STAGES


def next_stage(
    results: Iterable[StageResult], stages: Sequence[Stage] = STAGES, offered: Iterable[type] = ()
) -> Stage | None:
    """The first stage that has no result yet and gets all it needs; None when the road is done."""
    by_stage = {(result.stage, result.version): result for result in results}
    given: set[type] = {Source, KnownTypes, *offered}
    scans = 0
    for stage in stages:
        result = by_stage.get((stage.name, stage.version))
        needed = scans > 0 or not stage.each_page
        if result is None and needed and given.issuperset(stage.needs):
            return stage
        if result is not None and result.outcome == "done":
            given.add(stage.gives)
            scans = scan_count([result]) or scans
    return None


def is_ready(stage: Stage, results: Iterable[StageResult], stages: Sequence[Stage] = STAGES) -> bool:
    """Whether all that a stage needs of others was given, by whichever version of them."""
    done = {result.stage for result in results if result.outcome == "done"}
    return {Source, KnownTypes, *(each.gives for each in stages if each.name in done)}.issuperset(stage.needs)


def scan_count(results: Iterable[StageResult]) -> int:
    """How many pages of a document have to be read one by one, as the stage that found them noted."""
    return max((int(str(result.facts.get("scans", 0))) for result in results), default=0)


def depending(stage: Stage, stages: Sequence[Stage] = STAGES) -> list[str]:
    """The stages after this one that build on what it gives, or on what one of those gives."""
    renewed = {stage.gives}
    names = []
    for later in stages[stages.index(stage) + 1 :]:
        if renewed.intersection(later.needs):
            names.append(later.name)
            renewed.add(later.gives)
    return names


def current(results: Iterable[StageResult], stages: Sequence[Stage] = STAGES) -> list[StageResult]:
    """The results that still count: those of the versions on today's road."""
    versions = {(stage.name, stage.version) for stage in stages}
    return [result for result in results if (result.stage, result.version) in versions]


def degradation(results: Iterable[StageResult]) -> tuple[str | None, str | None]:
    """Category and reason of the first thing the document had to do without."""
    textless = False
    for result in current(results):
        if result.outcome == "degraded":
            return str(result.facts["category"]), str(result.facts["message"])
        textless = bool(result.facts.get("textless", textless))
    return ("no_text", "No text was found in it.") if textless else (None, None)


def stages_to_redo(results: Iterable[StageResult], *, titled: bool) -> list[str]:
    """What a retry of a completed document must run again: what was degraded, and a missing title."""
    degraded = {result.stage for result in current(results) if result.outcome == "degraded"}
    return sorted(degraded if titled else degraded | {"classify"})
