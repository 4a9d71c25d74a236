"""The stages of the road as people see them, and how far a document has come."""

from __future__ import annotations

from dataclasses import dataclass

from docyard.model.documents import Document
from docyard.stages import STAGES


@dataclass(frozen=True, slots=True)
class Step:
    """One stage as a person sees it."""

    name: str
    word: str
    doing: str
    state: str = "ahead"


STEPS = tuple(Step(stage.name, stage.label, stage.activity) for stage in STAGES)
_ORDER = {step.name: place for place, step in enumerate(STEPS)}


def steps_of(document: Document) -> list[Step]:
    """Every step, as done, current or ahead for this document."""
    here = _ORDER.get(document.stage or "", -1)
    running = document.status == "processing"
    return [
        Step(s.name, s.word, s.doing, _state(place, here, running=running)) for place, s in enumerate(STEPS)
    ]


def _state(place: int, here: int, *, running: bool) -> str:
    if place < here:
        return "done"
    return "current" if place == here and running else "ahead"
