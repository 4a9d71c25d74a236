"""Loading and saving what documents say: class, fields, mentions, entities and relations."""

from __future__ import annotations

from collections.abc import Callable

from docyard.db import Connection
from docyard.model.documents import Document
from docyard.model.values import (
    Canonicalised,
    Chunked,
    Fielded,
    Mentioned,
    Related,
    StageValue,
)
from docyard.store import facts
from docyard.store.documents import add_note

FactValue = Fielded | Mentioned | Canonicalised | Related


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


def as_kept(conn: Connection, document: Document, value: StageValue) -> StageValue:
    """What the stages after this one are given: of fields, what holds by the word of people too."""
    return Fielded(facts.load_fields(conn, document.id)) if isinstance(value, Fielded) else value


def _mentioned(conn: Connection, document: Document) -> Mentioned:
    return Mentioned(tuple(each.mention for each in facts.load_canonical(conn, document.id)))


FACT_LOADERS: dict[type[StageValue], Callable[[Connection, Document], StageValue]] = {
    Fielded: lambda conn, document: Fielded(facts.load_fields(conn, document.id)),
    Mentioned: _mentioned,
    Canonicalised: lambda conn, document: Canonicalised(facts.load_canonical(conn, document.id)),
}
