"""Storage of fields, mentions, entities and relations."""

from __future__ import annotations

from docyard.db import Connection
from docyard.model.documents import Document
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import Canonicalised, Fielded, Mentioned, Related
from docyard.pipeline.storage.storage_types import Storage
from docyard.store import facts
from docyard.store.documents import add_note


def as_kept(conn: Connection, document: Document, value: StageValue) -> StageValue:
    """Return the value for later stages: fields are reloaded, so that users' decisions apply to them."""
    return _load_fields(conn, document) if isinstance(value, Fielded) else value


def _save_fields(conn: Connection, document: Document, value: Fielded) -> None:
    facts.save_fields(conn, document, value.fields)
    for note in value.notes:
        add_note(conn, document.id, note)


def _load_fields(conn: Connection, document: Document) -> Fielded:
    return Fielded(facts.load_fields(conn, document.id))


def _load_mentioned(conn: Connection, document: Document) -> Mentioned:
    return Mentioned(tuple(each.mention for each in facts.load_canonical(conn, document.id)))


def _load_canonicalised(conn: Connection, document: Document) -> Canonicalised:
    return Canonicalised(facts.load_canonical(conn, document.id))


FACT_STORAGE: dict[type[StageValue], Storage] = {
    Fielded: Storage(facts=lambda value: {"fields": len(value.fields)}, save=_save_fields, load=_load_fields),
    Mentioned: Storage(
        facts=lambda value: {"mentions": len(value.mentions)},
        save=lambda conn, document, value: facts.save_mentions(conn, document, value.mentions),
        load=_load_mentioned,
    ),
    Canonicalised: Storage(
        facts=lambda value: {"mentions": len(value.mentions)},
        save=lambda conn, document, value: facts.save_canonical(conn, document, value.mentions),
        load=_load_canonicalised,
    ),
    Related: Storage(
        facts=lambda value: {"relations": len(value.relations)},
        save=lambda conn, document, value: facts.save_related(
            conn, document, value.relations, value.mentions
        ),
    ),
}
