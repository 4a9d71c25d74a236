"""Entities with their mentions, aliases and relations, and users' decisions on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.errors import NotFound
from docyard.model.entities import Alias, DistinctMention, Entity, MentionView, RelationView

_SQL = Queries("docyard.store.graph", "entities.sql")
STATES = ("unconfirmed", "confirmed", "rejected")
MAX_COUNTED = 1000  # mentions counted per entity; further ones are ignored
_MAX_PER_DOCUMENT = 20_000


def find_entities(
    conn: Connection,
    *,
    words: Sequence[str] = (),
    kinds: Sequence[str] = (),
    after: Entity | None = None,
    limit: int = 50,
) -> list[Entity]:
    """Return the workspace's entities that match all prefixes in `words` (if any), sorted by key."""
    params = {
        "words": list(words) or None,
        "kinds": list(kinds) or None,
        "after_key": after.key if after else None,
        "after_id": after.id if after else None,
        "limit": limit,
        "counted": MAX_COUNTED,
    }
    return [Entity(**row) for row in conn.execute(_SQL["find_entities"], params)]


def get_entity(conn: Connection, entity_id: UUID) -> Entity:
    """Return one entity, ignoring merges; raise NotFound if it does not exist."""
    row = conn.execute(_SQL["get_entity"], {"id": entity_id}).fetchone()
    if row is None:
        raise NotFound("There is no such entity.")
    return Entity(**row)


def load_family(conn: Connection, entity: Entity) -> list[Entity]:
    """Return this entity and all merged with it; the first is the one displayed, and has the best name."""
    root = entity.merged_into or entity.id
    found = [Entity(**row) for row in conn.execute(_SQL["load_family"], {"id": root})]
    if not found:
        raise NotFound("There is no such entity.")
    row = conn.execute(_SQL["family_name"], {"id": root}).fetchone()
    return [replace(found[0], name=row["name"] if row else found[0].name), *found[1:]]


def list_aliases(conn: Connection, ids: Sequence[UUID], limit: int = 50) -> list[Alias]:
    """Return the spellings of these entities, most frequent first."""
    params = {"ids": list(ids), "limit": limit, "counted": MAX_COUNTED}
    return [Alias(**row) for row in conn.execute(_SQL["list_aliases"], params)]


def list_entity_mentions(
    conn: Connection, ids: Sequence[UUID], *, below: int | None = None, limit: int = 50
) -> list[MentionView]:
    """Return the mentions of these entities, newest first."""
    params = {"ids": list(ids), "below": below, "limit": limit}
    return [MentionView(**row) for row in conn.execute(_SQL["list_entity_mentions"], params)]


def list_document_mentions(conn: Connection, document_id: UUID, page: int | None = None) -> list[MentionView]:
    """Return the mentions of a document, or of one page."""
    params = {"document_id": document_id, "page": page, "limit": _MAX_PER_DOCUMENT}
    return [MentionView(**row) for row in conn.execute(_SQL["list_document_mentions"], params)]


def list_distinct_mentions(conn: Connection, document_id: UUID, limit: int = 30) -> list[DistinctMention]:
    """Return the distinct entities, dates and amounts of a document, at most `limit` of each kind."""
    rows = conn.execute(_SQL["list_distinct_mentions"], {"document_id": document_id, "limit": limit})
    return [DistinctMention(**row) for row in rows]


def list_same_mentions(
    conn: Connection,
    document_id: UUID,
    *,
    mention_id: int | None = None,
    entity_id: UUID | None = None,
    limit: int = 100,
) -> list[MentionView]:
    """Return a document's mentions of an entity, or those with the same entity or value as `mention_id`."""
    params = {"document_id": document_id, "mention_id": mention_id, "entity_id": entity_id, "limit": limit}
    return [MentionView(**row) for row in conn.execute(_SQL["list_same_mentions"], params)]


def list_entity_relations(conn: Connection, ids: Sequence[UUID], limit: int = 100) -> list[RelationView]:
    """Return the relations of these entities to others and to documents."""
    params = {"ids": list(ids), "limit": limit}
    return [RelationView(**row) for row in conn.execute(_SQL["list_entity_relations"], params)]


def list_document_relations(conn: Connection, document_id: UUID, page: int | None = None) -> list[RelationView]:
    """Return the relations of a document, or of one page."""
    params = {"document_id": document_id, "page": page, "limit": _MAX_PER_DOCUMENT}
    return [RelationView(**row) for row in conn.execute(_SQL["list_document_relations"], params)]


def list_specific_relations(conn: Connection, document_id: UUID, limit: int) -> list[RelationView]:
    """Return the relations of a document, except those of type mentioned_with."""
    params = {"document_id": document_id, "limit": limit}
    return [RelationView(**row) for row in conn.execute(_SQL["list_specific_relations"], params)]


def decide_mention(conn: Connection, mention_id: int, state: str, by: str) -> None:
    """Set the state of a mention: confirmed, rejected or unconfirmed."""
    _decide(conn, "decide_mention", mention_id, state, by)


def decide_relation(conn: Connection, relation_id: int, state: str, by: str) -> None:
    """Set the state of a relation: confirmed, rejected or unconfirmed."""
    _decide(conn, "decide_relation", relation_id, state, by)


def all_entities(conn: Connection, workspace_id: UUID) -> Iterator[Entity]:
    """Yield all entities of a workspace."""
    return (Entity(**row) for row in conn.execute(_SQL["all_entities"], {"workspace_id": workspace_id}))


def all_relations(conn: Connection, workspace_id: UUID) -> Iterator[dict[str, Any]]:
    """Yield all relations of a workspace that are not rejected."""
    return iter(conn.execute(_SQL["all_relations"], {"workspace_id": workspace_id}))


def list_related_documents(conn: Connection, workspace_id: UUID) -> Iterator[dict[str, Any]]:
    """Yield all documents of a workspace that have relations."""
    return iter(conn.execute(_SQL["list_related_documents"], {"workspace_id": workspace_id}))


def _decide(conn: Connection, query: str, fact_id: int, state: str, by: str) -> None:
    params = {"id": fact_id, "state": state, "by": by if state != "unconfirmed" else None}
    if conn.execute(_SQL[query], params).fetchone() is None:
        raise NotFound(f"There is no such {query.rpartition('_')[2]}.")
