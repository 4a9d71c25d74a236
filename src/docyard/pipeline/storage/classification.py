"""Storage of classifications, as the facts of a stage result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from docyard.db import Connection
from docyard.model.documents import Document
from docyard.model.facts import Span
from docyard.model.stage_values import Classification, TypeEvidence
from docyard.model.stages import StageResult
from docyard.pipeline.stage_order import filter_current, list_producers
from docyard.store.results import load_stage_results

_CLASSIFYING_STAGES = list_producers(Classification)[::-1]  # in order of precedence


def make_classification_facts(value: Classification) -> dict[str, object]:
    """Return a classification as JSON values for the facts of a stage result."""
    return {
        "title": value.title,
        "language": value.language,
        "type": value.type,
        "type_confidence": value.type_confidence,
        "evidence": [
            {
                "phrase": each.phrase,
                "place": list(each.span) if each.span else None,
                "weight": each.weight,
                "type": each.kind,
            }
            for each in value.evidence
        ],
        "summary": value.summary,
        "date": value.date,
        "tags": list(value.tags),
        "source": value.source,
    }


def load_classification(conn: Connection, document: Document) -> Classification | None:
    """Return the classification by the current version of a stage, or None if there is none."""
    return _find_classification(filter_current(load_stage_results(conn, document.id)))


def get_classification(recorded: Iterable[StageResult], document: Document) -> Classification:
    """Return the classification in these results; without one, build it from the columns of the document."""
    found = _find_classification(recorded)
    if found is not None:
        return found
    confidence = document.type_confidence or 0.0
    return Classification(document.title, document.language, type=document.type, type_confidence=confidence)


def _find_classification(results: Iterable[StageResult]) -> Classification | None:
    done = {result.stage: result.facts for result in results if result.outcome == "done"}
    facts: Mapping[str, Any] = next((done[stage] for stage in _CLASSIFYING_STAGES if stage in done), {})
    if "type" not in facts:
        return None
    return Classification(
        title=facts["title"],
        language=facts["language"],
        type=facts["type"],
        type_confidence=float(facts["type_confidence"]),
        evidence=tuple(map(_load_evidence, facts["evidence"])),
        summary=facts["summary"],
        date=facts["date"],
        tags=tuple(facts["tags"]),
        source=facts["source"],
    )


def _load_evidence(stored: Mapping[str, Any]) -> TypeEvidence:
    span = Span(*stored["place"]) if stored["place"] else None
    return TypeEvidence(stored["phrase"], span, stored["weight"], stored.get("type", ""))
