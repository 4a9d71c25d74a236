"""Classifications as facts of a stage result: kept whole, for the stages that build on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from docyard.db import Connection
from docyard.model.documents import Document
from docyard.model.facts import Span
from docyard.model.stages import StageResult
from docyard.model.values import Classified, Evidence
from docyard.pipeline.road import current, givers
from docyard.store.results import stage_results

_GIVERS = givers(Classified)[::-1]  # whose word counts first


def classification_facts(value: Classified) -> dict[str, object]:
    """What to keep of a classification."""
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


def load_classification(conn: Connection, document: Document) -> Classified | None:
    """The classification that counts for a document; None where no stage of today's road has given one."""
    return _recorded(current(stage_results(conn, document.id)))


def kept_classification(recorded: Iterable[StageResult], document: Document) -> Classified:
    """The classification that counts; where it is of an older version, what the document has of it."""
    found = _recorded(recorded)
    if found is not None:
        return found
    sure = document.type_confidence or 0.0
    return Classified(document.title, document.language, type=document.type, type_confidence=sure)


def _recorded(results: Iterable[StageResult]) -> Classified | None:
    done = {result.stage: result.facts for result in results if result.outcome == "done"}
    facts: Mapping[str, Any] = next((done[stage] for stage in _GIVERS if stage in done), {})
    if "type" not in facts:
        return None
    return Classified(
        title=facts["title"],
        language=facts["language"],
        type=facts["type"],
        type_confidence=float(facts["type_confidence"]),
        evidence=tuple(map(_evidence, facts["evidence"])),
        summary=facts["summary"],
        date=facts["date"],
        tags=tuple(facts["tags"]),
        source=facts["source"],
    )


def _evidence(kept: Mapping[str, Any]) -> Evidence:
    span = Span(*kept["place"]) if kept["place"] else None
    return Evidence(kept["phrase"], span, kept["weight"], kept.get("type", ""))
