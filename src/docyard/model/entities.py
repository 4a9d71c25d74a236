"""Entities as people see them: what documents mention, under which names, and how they relate."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that documents mention; `merged_into` is the one it is shown as, if people decided so."""

    id: UUID
    kind: str
    key: str
    name: str
    merged_into: UUID | None = None
    documents: int = 0  # at most `MOST_COUNTED`


@dataclass(frozen=True, slots=True)
class Alias:
    """A way of writing an entity's name, and how often it is written so."""

    text: str
    mentions: int


@dataclass(frozen=True, slots=True)
class PlacedMention:
    """A mention with the document it stands in and the entity it names."""

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
class Thing:
    """What a document mentions, once: an entity, or a day or an amount; and where it first stands."""

    kind: str
    name: str
    entity_id: UUID | None
    mention: int  # the first
    mentions: int  # those that nobody rejected
    confirmed: int
    of_kind: int  # how many things of its kind there are


@dataclass(frozen=True, slots=True)
class PlacedRelation:
    """A relation with the names of its ends and the place that says so."""

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
    """Two entities that may be one, why, and what a person said."""

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
