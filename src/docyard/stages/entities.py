"""Entities: mentions on the pages, each with its span, normal form and confidence."""

from __future__ import annotations

from docyard.model.stage_values import Classified, Extracted, Mentioned
from docyard.model.stages import Given, Stage


def run(given: Given) -> Mentioned:
    """Find mentions on every page; dates and amounts are read by the document's conventions."""
    from docyard.facts.entities.recognition import read_mentions

    classified = given.the(Classified)
    return Mentioned(read_mentions(given.the(Extracted).pages, classified.language, classified.type))


STAGE = Stage(
    name="entities",
    version=3,
    resource="cpu",
    needs=(Extracted, Classified),
    gives=Mentioned,
    run=run,
    label="Entities",
    activity="Finding names, dates and amounts",
)
