"""Entities as people look at them: found by name, with their mentions, aliases and relations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.errors import NotFound
from docyard.model.entities import Alias, Entity, PlacedMention, PlacedRelation, Thing

_SQL = Queries("docyard.store.graph", "entities.sql")
STATES = ("unconfirmed", "confirmed", "rejected")
MOST_COUNTED = 1000  # mentions that are counted of one entity; more are told as so many
_MOST_IN_DOCUMENT = 20_000


def find_entities(
    conn: Connection,
    *,
    words: Sequence[str] = (),
    kinds: Sequence[str] = (),
    after: Entity | None = None,
    most: int = 50,
) -> list[Entity]:
    """Entities of the transaction's workspace whose names have words that begin so, or all of them."""
    given = {
        "words": list(words) or None,
        "kinds": list(kinds) or None,
        "after_key": after.key if after else None,
        "after_id": after.id if after else None,
        "most": most,
        "counted": MOST_COUNTED,
    }
    return [Entity(**row) for row in conn.execute(_SQL["find_entities"], given)]


def get_entity(conn: Connection, entity_id: UUID) -> Entity:
    """One entity as it is by itself, or NotFound."""
    row = conn.execute(_SQL["get_entity"], {"id": entity_id}).fetchone()
    if row is None:
        raise NotFound("There is no such entity.")
    return Entity(**row)


def family_of(conn: Connection, entity: Entity) -> list[Entity]:
    """All that are shown as one with it, the one they are shown as first, under the best name of all."""
    root = entity.merged_into or entity.id
    found = [Entity(**row) for row in conn.execute(_SQL["family_of"], {"id": root})]
    if not found:
        raise NotFound("There is no such entity.")
    row = conn.execute(_SQL["family_name"], {"id": root}).fetchone()
    return [replace(found[0], name=row["name"] if row else found[0].name), *found[1:]]


def aliases(conn: Connection, ids: Sequence[UUID], most: int = 50) -> list[Alias]:
    """The ways of writing these entities."""
    given = {"ids": list(ids), "most": most, "counted": MOST_COUNTED}
    return [Alias(**row) for row in conn.execute(_SQL["aliases"], given)]


def mentions_of(
    conn: Connection, ids: Sequence[UUID], *, below: int | None = None, most: int = 50
) -> list[PlacedMention]:
    """Where these entities are mentioned, the newest first."""
    given = {"ids": list(ids), "below": below, "most": most}
    return [PlacedMention(**row) for row in conn.execute(_SQL["mentions_of"], given)]


def mentions_in(conn: Connection, document_id: UUID, page: int | None = None) -> list[PlacedMention]:
    """What a document mentions, on one page if it is named."""
    given = {"document_id": document_id, "page": page, "most": _MOST_IN_DOCUMENT}
    return [PlacedMention(**row) for row in conn.execute(_SQL["mentions_in"], given)]


def things_in(conn: Connection, document_id: UUID, most: int = 30) -> list[Thing]:
    """What a document mentions, each thing once; the most frequent of each kind."""
    rows = conn.execute(_SQL["things_in"], {"document_id": document_id, "most": most})
    return [Thing(**row) for row in rows]


def mentions_alike(
    conn: Connection,
    document_id: UUID,
    *,
    mention_id: int | None = None,
    entity_id: UUID | None = None,
    most: int = 100,
) -> list[PlacedMention]:
    """Where a document mentions what this mention names, or this entity."""
    given = {"document_id": document_id, "mention_id": mention_id, "entity_id": entity_id, "most": most}
    return [PlacedMention(**row) for row in conn.execute(_SQL["mentions_alike"], given)]


def relations_of(conn: Connection, ids: Sequence[UUID], most: int = 100) -> list[PlacedRelation]:
    """How these entities relate to others and to documents."""
    given = {"ids": list(ids), "most": most}
    return [PlacedRelation(**row) for row in conn.execute(_SQL["relations_of"], given)]


def relations_in(conn: Connection, document_id: UUID, page: int | None = None) -> list[PlacedRelation]:
    """The relations that a document tells of."""
    given = {"document_id": document_id, "page": page, "most": _MOST_IN_DOCUMENT}
    return [PlacedRelation(**row) for row in conn.execute(_SQL["relations_in"], given)]


def telling_relations(conn: Connection, document_id: UUID, most: int) -> list[PlacedRelation]:
    """The relations of a document that say more than that two things stand together."""
    given = {"document_id": document_id, "most": most}
    return [PlacedRelation(**row) for row in conn.execute(_SQL["telling_relations"], given)]


def decide_mention(conn: Connection, mention_id: int, state: str, by: str) -> None:
    """Confirm or reject a mention, or leave it open again."""
    _decide(conn, "decide_mention", mention_id, state, by)


def decide_relation(conn: Connection, relation_id: int, state: str, by: str) -> None:
    """Confirm or reject a relation, or leave it open again."""
    _decide(conn, "decide_relation", relation_id, state, by)


def all_entities(conn: Connection, workspace_id: UUID) -> Iterator[Entity]:
    """Every entity of a workspace."""
    return (Entity(**row) for row in conn.execute(_SQL["all_entities"], {"workspace_id": workspace_id}))


def all_relations(conn: Connection, workspace_id: UUID) -> Iterator[dict[str, Any]]:
    """Every relation of a workspace that nobody rejected."""
    return iter(conn.execute(_SQL["all_relations"], {"workspace_id": workspace_id}))


def named_documents(conn: Connection, workspace_id: UUID) -> Iterator[dict[str, Any]]:
    """Every document that relations speak of."""
    return iter(conn.execute(_SQL["named_documents"], {"workspace_id": workspace_id}))


def _decide(conn: Connection, query: str, number: int, state: str, by: str) -> None:
    given = {"id": number, "state": state, "by": by if state != "unconfirmed" else None}
    if conn.execute(_SQL[query], given).fetchone() is None:
        raise NotFound(f"There is no such {query.rpartition('_')[2]}.")
