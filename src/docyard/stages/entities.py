"""Entities: mentions on the pages, each with its span, normal form and confidence."""

from __future__ import annotations

from docyard.model.stage_values import Classification, DocumentMentions, ExtractedText
from docyard.model.stages import Stage, StageInput


def run(inputs: StageInput) -> DocumentMentions:
    """Find mentions on every page; dates and amounts are read by the document's conventions."""
    from docyard.facts.entities.recognition import read_mentions

    classified = inputs.get(Classification)
    return DocumentMentions(read_mentions(inputs.get(ExtractedText).pages, classified.language, classified.type))


STAGE = Stage(
    name="entities",
    version=4,
    resource="cpu",
    inputs=(ExtractedText, Classification),
    output=DocumentMentions,
    run=run,
    label="Entities",
    activity="Finding names, dates and amounts",
)
