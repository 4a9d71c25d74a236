"""The road of a document, stage after stage; a new stage is one file and one entry here."""

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

# A model may be slow or away, so it is asked when the text can be read and found already.
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


def stage(name: str) -> Stage:
    """The stage of that name; KeyError when there is none."""
    return _BY_NAME[name]
