"""Storage of fields, mentions, entities and relations."""

from __future__ import annotations

from docyard.db import Connection
from docyard.model.documents import Document
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import CanonicalMentions, DocumentFields, DocumentMentions, DocumentRelations
from docyard.pipeline.storage.storage_types import Storage
from docyard.store import facts
from docyard.store.documents import add_note


def reload_fields(conn: Connection, document: Document, value: StageValue) -> StageValue:
    """Return the value that later stages get; fields are reloaded, so that they include users' decisions."""
    return _load_fields(conn, document) if isinstance(value, DocumentFields) else value


def _save_fields(conn: Connection, document: Document, value: DocumentFields) -> None:
    facts.save_fields(conn, document, value.fields)
    for note in value.notes:
        add_note(conn, document.id, note)


def _load_fields(conn: Connection, document: Document) -> DocumentFields:
    return DocumentFields(facts.load_fields(conn, document.id))


def _load_mentioned(conn: Connection, document: Document) -> DocumentMentions:
    return DocumentMentions(tuple(each.mention for each in facts.load_canonical_mentions(conn, document.id)))


def _load_canonicalised(conn: Connection, document: Document) -> CanonicalMentions:
    return CanonicalMentions(facts.load_canonical_mentions(conn, document.id))


FACT_STORAGE: dict[type[StageValue], Storage] = {
    DocumentFields: Storage(facts=lambda value: {"fields": len(value.fields)}, save=_save_fields, load=_load_fields),
    DocumentMentions: Storage(
        facts=lambda value: {"mentions": len(value.mentions)},
        save=lambda conn, document, value: facts.save_mentions(conn, document, value.mentions),
        load=_load_mentioned,
    ),
    CanonicalMentions: Storage(
        facts=lambda value: {"mentions": len(value.mentions)},
        save=lambda conn, document, value: facts.save_canonical_mentions(conn, document, value.mentions),
        load=_load_canonicalised,
    ),
    DocumentRelations: Storage(
        facts=lambda value: {"relations": len(value.relations)},
        save=lambda conn, document, value: facts.save_relations(conn, document, value.relations, value.mentions),
    ),
}
