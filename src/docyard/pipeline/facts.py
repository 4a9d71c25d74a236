"""Loading and saving what documents say: class, fields, mentions, entities and relations."""

from __future__ import annotations

from collections.abc import Callable

from docyard.db import Connection
from docyard.model.documents import Document
from docyard.model.values import (
    Canonicalised,
    Chunked,
    Classified,
    Fielded,
    Mentioned,
    Related,
    StageValue,
)
from docyard.store import facts
from docyard.store.documents import add_note

FactValue = Fielded | Mentioned | Canonicalised | Related


def class_facts(classified: Classified) -> dict[str, object]:
    """Title and language, and the type with what speaks for it."""
    told: dict[str, object] = {"title": classified.title, "language": classified.language}
    if classified.type is None:
        return told
    evidence = [
        {"phrase": each.phrase, "place": list(each.span) if each.span else None, "weight": each.weight}
        for each in classified.evidence
    ]
    return {**told, "type": classified.type, "confidence": classified.type_confidence, "evidence": evidence}


def counts(value: FactValue | Chunked) -> dict[str, object]:
    """How much there was, kept with the result of the stage."""
    match value:
        case Chunked():
            return {"chunks": len(value.chunks)}
        case Fielded():
            return {"fields": len(value.fields)}
        case Related():
            return {"relations": len(value.relations)}
        case _:
            return {"mentions": len(value.mentions)}


def save_facts(conn: Connection, document: Document, value: FactValue) -> None:
    """Save what a document says in place of what was known of it before."""
    match value:
        case Fielded():
            facts.save_fields(conn, document, value.fields)
            for note in value.notes:
                add_note(conn, document.id, note)
        case Mentioned():
            facts.save_mentions(conn, document, value.mentions)
        case Canonicalised():
            facts.save_canonical(conn, document, value.mentions)
        case Related():
            facts.save_related(conn, document, value.relations, value.mentions)


def _classified(_: Connection, document: Document) -> Classified:
    return Classified(
        document.title,
        document.language,
        document.type,
        document.type_confidence or 0.0,
        summary=document.summary,
        date=document.document_date.isoformat() if document.document_date else None,
        tags=document.tags,
    )


def _mentioned(conn: Connection, document: Document) -> Mentioned:
    return Mentioned(tuple(each.mention for each in facts.load_canonical(conn, document.id)))


FACT_LOADERS: dict[type[StageValue], Callable[[Connection, Document], StageValue]] = {
    Classified: _classified,
    Fielded: lambda conn, document: Fielded(facts.load_fields(conn, document.id)),
    Mentioned: _mentioned,
    Canonicalised: lambda conn, document: Canonicalised(facts.load_canonical(conn, document.id)),
}
