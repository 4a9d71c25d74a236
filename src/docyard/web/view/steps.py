"""Stages as steps of a progress bar."""

from __future__ import annotations

from dataclasses import dataclass

from docyard.model.documents import Document
from docyard.stages import STAGES


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the progress bar."""

    name: str
    word: str
    doing: str
    state: str = "pending"


STEPS = tuple(Step(stage.name, stage.label, stage.activity) for stage in STAGES)
_ORDER = {step.name: index for index, step in enumerate(STEPS)}


def document_steps(document: Document) -> list[Step]:
    """Return all steps with their state for this document: done, current or pending."""
    current = _ORDER.get(document.stage or "", -1)
    running = document.status == "processing"
    return [Step(s.name, s.word, s.doing, _state(index, current, running=running)) for index, s in enumerate(STEPS)]


def _state(index: int, current: int, *, running: bool) -> str:
    if index < current:
        return "done"
    return "current" if index == current and running else "pending"
