"""What documents say: fields, mentions and relations, and the entities that mentions make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from uuid import UUID, uuid5

from docyard.db import Connection, Queries
from docyard.model.documents import Document
from docyard.model.facts import Canonical, EntityKey, FieldValue, Mention, Relation, Span
from docyard.store.graph.orphans import drop_orphans, reconsider_merges

_SQL = Queries("docyard.store", "facts.sql")
_DAY_LENGTH = len("2026-11-15")
_NUMBER = re.compile(r"^-?\d{1,20}(\.\d{1,10})?$", re.ASCII)


def entity_id(workspace_id: UUID, key: EntityKey) -> UUID:
    """The id of an entity, which follows from its key: whoever makes it first, it is the same."""
    return uuid5(workspace_id, f"{key.kind}:{key.key}")


def lock_things(conn: Connection, workspace_id: UUID) -> None:
    """Wait until nobody else changes the entities of this workspace."""
    conn.execute(_SQL["lock_things"], {"workspace_id": workspace_id})


def save_fields(conn: Connection, document: Document, fields: Sequence[FieldValue]) -> None:
    """Replace the fields of a document; what people said of them holds, whatever was found this time."""
    # A reader that finds the same thing twice has found it once.
    found = list({(each.name, each.value, each.normal, each.span): each for each in fields}.values())
    counted: dict[str, int] = {}
    ordinals = []
    for field in found:
        ordinals.append(counted.setdefault(field.name, 0))
        counted[field.name] += 1
    given = {
        "document_id": document.id,
        "workspace_id": document.workspace_id,
        "names": [field.name for field in found],
        "ordinals": ordinals,
        "values": [field.value for field in found],
        "normals": [field.normal for field in found],
        "numbers": [number_of(field.normal) for field in found],
        "days": [day_of(field.normal) for field in found],
        "confidences": [field.confidence for field in found],
        "sources": [field.source for field in found],
        **_places([field.span for field in found]),
    }
    for query in ("drop_fields", "unplace_fields", "place_fields", "keep_fields", "save_fields"):
        conn.execute(_SQL[query], given)


def number_of(normal: str) -> Decimal | None:
    """A normal form as a number, where it is one."""
    return Decimal(normal) if _NUMBER.match(normal) else None


def day_of(normal: str) -> date | None:
    """A normal form as a day, where it is one."""
    try:
        return date.fromisoformat(normal) if len(normal) == _DAY_LENGTH else None
    except ValueError:
        return None


def load_fields(conn: Connection, document_id: UUID) -> tuple[FieldValue, ...]:
    """The fields of a document that nobody rejected."""
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
    """Replace what readers of names found in a document."""
    lock_things(conn, document.workspace_id)
    found = [Canonical(mention, "") for mention in mentions]
    drop_orphans(conn, _replace_mentions(conn, document, found, by_field=False))


def save_canonical(conn: Connection, document: Document, mentions: Sequence[Canonical]) -> None:
    """Give mentions their entities, making those that are new; what nothing mentions any more goes."""
    lock_things(conn, document.workspace_id)
    drop_orphans(conn, _link(conn, document, mentions))


def save_related(
    conn: Connection, document: Document, relations: Sequence[Relation], mentions: Sequence[Canonical]
) -> None:
    """Replace the relations that a document tells of, and the mentions that only its fields know."""
    lock_things(conn, document.workspace_id)
    gone = _replace_mentions(conn, document, mentions, by_field=True)
    gone += _link(conn, document, mentions)
    ids = {key: entity_id(document.workspace_id, key) for each in relations for key in _ends(each)}
    columns: dict[str, object] = {
        "types": [each.type for each in relations],
        "sources": [ids[each.source] for each in relations],
        "targets": [ids[each.target] if each.target else None for each in relations],
        "confidences": [each.confidence for each in relations],
        **_places([each.span for each in relations]),
    }
    of = {"document_id": document.id, "workspace_id": document.workspace_id}
    conn.execute(_SQL["drop_relations"], {**of, **columns})
    conn.execute(_SQL["save_relations"], {**of, **columns})
    drop_orphans(conn, gone)


def load_canonical(conn: Connection, document_id: UUID) -> tuple[Canonical, ...]:
    """The mentions of a document, each with the key of its entity."""
    return tuple(
        Canonical(
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
    """Forget everything that a document says, and the entities that nothing else mentions."""
    lock_things(conn, workspace_id)
    rows = conn.execute(_SQL["drop_facts"], {"document_id": document_id})
    spoken_of = {row["entity_id"] for row in rows if row["entity_id"]}
    drop_orphans(conn, spoken_of, decided=True)
    reconsider_merges(conn, spoken_of)


def _replace_mentions(
    conn: Connection, document: Document, mentions: Sequence[Canonical], *, by_field: bool
) -> list[UUID]:
    """Gives the entities of mentions that are gone."""
    # A reader that finds the same thing twice has found it once.
    once = list({(each.mention.span, each.mention.kind): each for each in mentions}.values())
    given = {
        "document_id": document.id,
        "workspace_id": document.workspace_id,
        "by_field": by_field,
        "kinds": [each.mention.kind for each in once],
        "texts": [each.mention.text for each in once],
        "normals": [each.mention.normal for each in once],
        "confidences": [each.mention.confidence for each in once],
        "sources": [each.mention.source for each in once],
        "fields": [each.field for each in once],
        **_places([each.mention.span for each in once]),
    }
    gone = conn.execute(_SQL["drop_mentions"], given).fetchall()
    conn.execute(_SQL["save_mentions"], given)
    return [row["entity_id"] for row in gone if row["entity_id"]]


def _link(conn: Connection, document: Document, mentions: Sequence[Canonical]) -> list[UUID]:
    """Make entities and point mentions at them; gives the entities they pointed at before."""
    keyed = [each for each in mentions if each.key]
    ids = [entity_id(document.workspace_id, EntityKey(each.mention.kind, each.key)) for each in keyed]
    given = {
        "document_id": document.id,
        "workspace_id": document.workspace_id,
        "ids": ids,
        "kinds": [each.mention.kind for each in keyed],
        "keys": [each.key for each in keyed],
        "texts": [each.mention.text for each in keyed],
        **_places([each.mention.span for each in keyed]),
    }
    if not keyed:
        return []
    conn.execute(_SQL["keep_entities"], given)
    before = conn.execute(_SQL["link_mentions"], given).fetchall()
    return [row["entity_id"] for row in before if row["entity_id"]]


def _ends(relation: Relation) -> Iterable[EntityKey]:
    return (relation.source, relation.target) if relation.target else (relation.source,)


def _places(spans: Sequence[Span | None]) -> dict[str, list[int | None]]:
    return {
        "pages": [span.page if span else None for span in spans],
        "starts": [span.start if span else None for span in spans],
        "ends": [span.end if span else None for span in spans],
    }
