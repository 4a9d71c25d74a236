"""Entities: what the pages name, each with its place, its normal form and how sure it is."""

from __future__ import annotations

from docyard.model.stages import Given, Stage
from docyard.model.values import Classified, Extracted, Mentioned


def run(given: Given) -> Mentioned:
    """Find mentions on every page, reading dates and sums as the document's language writes them."""
    from docyard.facts.entities.recognition import mentions

    classified = given.the(Classified)
    return Mentioned(mentions(given.the(Extracted).pages, classified.language, classified.type))


STAGE = Stage(
    name="entities",
    version=3,
    resource="cpu",
    needs=(Extracted, Classified),
    gives=Mentioned,
    run=run,
    label="Entities",
    activity="Finding what it mentions",
)
