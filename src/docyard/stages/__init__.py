"""The processing stages of a document, in order; a new stage is one file and one entry here."""

from __future__ import annotations

from docyard.model.stages import Stage
from docyard.stages import (
    canonicalise,
    chunk,
    classify,
    classify_ai,
    entities,
    extract,
    fetch,
    fields,
    ocr,
    relate,
)

# A language model may be slow or unavailable, so it is used only when the text is already searchable.
STAGES: tuple[Stage, ...] = (
    fetch.STAGE,
    extract.STAGE,
    ocr.STAGE,
    classify.STAGE,
    chunk.STAGE,
    classify_ai.STAGE,
    fields.STAGE,
    entities.STAGE,
    canonicalise.STAGE,
    relate.STAGE,
)

_BY_NAME = {each.name: each for each in STAGES}


def get_stage(name: str) -> Stage:
    """Return the stage with this name; raise KeyError if it does not exist."""
    return _BY_NAME[name]
