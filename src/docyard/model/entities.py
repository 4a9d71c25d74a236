"""Entities with their aliases, mentions, relations and merges, as pages and the API show them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity that documents mention; after a confirmed merge it is shown as the entity `merged_into`."""

    id: UUID
    kind: str
    key: str
    name: str
    merged_into: UUID | None = None
    documents: int = 0  # number of documents; at most `MAX_COUNTED` mentions are counted


@dataclass(frozen=True, slots=True)
class Alias:
    """A spelling of an entity's name, and the number of mentions that use it."""

    text: str
    mentions: int


@dataclass(frozen=True, slots=True)
class MentionView:
    """A mention with its document and the entity it names."""

    id: int
    document_id: UUID
    document_name: str
    title: str | None
    kind: str
    page: int
    start: int
    end: int
    text: str
    normal: str
    confidence: float
    source: str
    state: str
    field: str | None
    entity_id: UUID | None
    entity_name: str | None


@dataclass(frozen=True, slots=True)
class DistinctMention:
    """A distinct entity, date or amount that a document mentions, with its first mention."""

    kind: str
    name: str
    entity_id: UUID | None
    mention: int  # id of the first mention
    mentions: int  # number of mentions that are not rejected
    confirmed: int
    of_kind: int  # number of distinct values of this kind in the document


@dataclass(frozen=True, slots=True)
class RelationView:
    """A relation with the names of both ends and the span that states it."""

    id: int
    type: str
    from_id: UUID
    from_kind: str
    from_name: str
    to_id: UUID | None
    to_kind: str | None
    to_name: str | None
    to_document: UUID | None
    document_id: UUID
    document_name: str
    page: int
    start: int
    end: int
    confidence: float
    state: str


@dataclass(frozen=True, slots=True)
class Merge:
    """Two entities that may be the same, the reason, and a user's decision."""

    one: UUID
    other: UUID
    kind: str
    reason: str
    score: float | None
    state: str
    decided_by: str | None
    decided_at: datetime | None
    one_name: str = ""
    other_name: str = ""
