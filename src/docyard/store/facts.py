"""Fields, mentions and relations of documents, and the entities made from mentions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from uuid import UUID, uuid5

from docyard.db import Connection, Queries
from docyard.model.documents import Document
from docyard.model.facts import CanonicalMention, EntityKey, FieldValue, Mention, Relation, Span
from docyard.store.graph.entity_maintenance import drop_orphans, withdraw_proposals

_SQL = Queries("docyard.store", "facts.sql")
_DATE_LENGTH = len("2026-11-15")
_NUMBER = re.compile(r"^-?\d{1,20}(\.\d{1,10})?$", re.ASCII)


def entity_id(workspace_id: UUID, key: EntityKey) -> UUID:
    """Return the id of an entity, derived from its workspace, kind and key."""
    return uuid5(workspace_id, f"{key.kind}:{key.key}")


def lock_entities(conn: Connection, workspace_id: UUID) -> None:
    """Lock the entities of a workspace against concurrent changes until the transaction ends."""
    conn.execute(_SQL["lock_entities"], {"workspace_id": workspace_id})


def save_fields(conn: Connection, document: Document, fields: Sequence[FieldValue]) -> None:
    """Replace the extracted fields of a document; users' decisions and values are kept."""
    # Duplicates are saved once.
    found = list({(each.name, each.value, each.normal, each.span): each for each in fields}.values())
    next_ordinal: dict[str, int] = {}
    ordinals = []
    for field in found:
        ordinals.append(next_ordinal.setdefault(field.name, 0))
        next_ordinal[field.name] += 1
    params = {
        "document_id": document.id,
        "workspace_id": document.workspace_id,
        "names": [field.name for field in found],
        "ordinals": ordinals,
        "values": [field.value for field in found],
        "normals": [field.normal for field in found],
        "numbers": [parse_number(field.normal) for field in found],
        "days": [parse_date(field.normal) for field in found],
        "confidences": [field.confidence for field in found],
        "sources": [field.source for field in found],
        **_span_columns([field.span for field in found]),
    }
    for query in ("drop_fields", "unplace_fields", "place_fields", "keep_fields", "save_fields"):
        conn.execute(_SQL[query], params)


def parse_number(normal: str) -> Decimal | None:
    """Return a normal form as a number, or None if it is not one."""
    return Decimal(normal) if _NUMBER.match(normal) else None


def parse_date(normal: str) -> date | None:
    """Return a normal form as a date, or None if it is not one."""
    try:
        return date.fromisoformat(normal) if len(normal) == _DATE_LENGTH else None
    except ValueError:
        return None


def load_fields(conn: Connection, document_id: UUID) -> tuple[FieldValue, ...]:
    """Return the fields of a document that are not rejected."""
    return tuple(
        FieldValue(
            row["name"],
            row["value"],
            row["normal"],
            row["confidence"],
            row["source"],
            Span(row["page"], row["start"], row["end"]) if row["page"] else None,
        )
        for row in conn.execute(_SQL["load_fields"], {"document_id": document_id})
    )


def save_mentions(conn: Connection, document: Document, mentions: Sequence[Mention]) -> None:
    """Replace the mentions found in the text of a document, except confirmed ones that are still valid."""
    lock_entities(conn, document.workspace_id)
    found = [CanonicalMention(mention, "") for mention in mentions]
    drop_orphans(conn, _replace_mentions(conn, document, found, by_field=False))


def save_canonical_mentions(conn: Connection, document: Document, mentions: Sequence[CanonicalMention]) -> None:
    """Link mentions to entities, creating missing ones; delete entities without mentions and decisions."""
    lock_entities(conn, document.workspace_id)
    drop_orphans(conn, _link_entities(conn, document, mentions))


def save_relations(
    conn: Connection, document: Document, relations: Sequence[Relation], mentions: Sequence[CanonicalMention]
) -> None:
    """Replace the mentions made from a document's fields, and its relations except confirmed ones."""
    lock_entities(conn, document.workspace_id)
    unlinked = _replace_mentions(conn, document, mentions, by_field=True)
    unlinked += _link_entities(conn, document, mentions)
    ids = {key: entity_id(document.workspace_id, key) for each in relations for key in _entity_keys(each)}
    columns: dict[str, object] = {
        "types": [each.type for each in relations],
        "sources": [ids[each.source] for each in relations],
        "targets": [ids[each.target] if each.target else None for each in relations],
        "confidences": [each.confidence for each in relations],
        **_span_columns([each.span for each in relations]),
    }
    of = {"document_id": document.id, "workspace_id": document.workspace_id}
    conn.execute(_SQL["drop_relations"], {**of, **columns})
    conn.execute(_SQL["save_relations"], {**of, **columns})
    drop_orphans(conn, unlinked)


def load_canonical_mentions(conn: Connection, document_id: UUID) -> tuple[CanonicalMention, ...]:
    """Return the mentions found in the text of a document, each with the key of its entity."""
    return tuple(
        CanonicalMention(
            Mention(
                row["kind"],
                Span(row["page"], row["start"], row["end"]),
                row["text"],
                row["normal"],
                row["confidence"],
                row["source"],
            ),
            row["key"],
        )
        for row in conn.execute(_SQL["load_mentions"], {"document_id": document_id})
    )


def drop_facts(conn: Connection, document_id: UUID, workspace_id: UUID) -> None:
    """Delete a document's facts and the entities that only it mentions; withdraw related merge proposals."""
    lock_entities(conn, workspace_id)
    rows = conn.execute(_SQL["drop_facts"], {"document_id": document_id})
    mentioned = {row["entity_id"] for row in rows if row["entity_id"]}
    drop_orphans(conn, mentioned, decided=True)
    withdraw_proposals(conn, mentioned)


def _replace_mentions(
    conn: Connection, document: Document, mentions: Sequence[CanonicalMention], *, by_field: bool
) -> list[UUID]:
    """Replace mentions; return the entities of the removed mentions."""
    # Duplicates are saved once.
    unique = list({(each.mention.span, each.mention.kind): each for each in mentions}.values())
    params = {
        "document_id": document.id,
        "workspace_id": document.workspace_id,
        "by_field": by_field,
        "kinds": [each.mention.kind for each in unique],
        "texts": [each.mention.text for each in unique],
        "normals": [each.mention.normal for each in unique],
        "confidences": [each.mention.confidence for each in unique],
        "sources": [each.mention.source for each in unique],
        "fields": [each.field for each in unique],
        **_span_columns([each.mention.span for each in unique]),
    }
    removed = conn.execute(_SQL["drop_mentions"], params).fetchall()
    conn.execute(_SQL["save_mentions"], params)
    return [row["entity_id"] for row in removed if row["entity_id"]]


def _link_entities(conn: Connection, document: Document, mentions: Sequence[CanonicalMention]) -> list[UUID]:
    """Create missing entities and link mentions to them; return the entities they were linked to before."""
    keyed = [each for each in mentions if each.key]
    params = {
        "document_id": document.id,
        "workspace_id": document.workspace_id,
        "ids": [entity_id(document.workspace_id, EntityKey(each.mention.kind, each.key)) for each in keyed],
        "kinds": [each.mention.kind for each in keyed],
        "keys": [each.key for each in keyed],
        "texts": [each.mention.text for each in keyed],
        **_span_columns([each.mention.span for each in keyed]),
    }
    if not keyed:
        return []
    conn.execute(_SQL["keep_entities"], params)
    previous = conn.execute(_SQL["link_mentions"], params).fetchall()
    return [row["entity_id"] for row in previous if row["entity_id"]]


def _entity_keys(relation: Relation) -> Iterable[EntityKey]:
    return (relation.source, relation.target) if relation.target else (relation.source,)


def _span_columns(spans: Sequence[Span | None]) -> dict[str, list[int | None]]:
    return {
        "pages": [span.page if span else None for span in spans],
        "starts": [span.start if span else None for span in spans],
        "ends": [span.end if span else None for span in spans],
    }
