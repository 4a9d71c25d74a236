"""What the documents that a search found have in common: their types, and what they mention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.search", "facts.sql")
_COUNTED = 200  # documents, the best first; counting more would cost more than finding them
_MOST = 10
_KINDS = (
    "person",
    "organisation",
    "place",
    "court",
    "case_number",
    "citation",
    "statute",
    "equipment",
    "part",
)


@dataclass(frozen=True, slots=True)
class EntityFacet:
    """An entity, and how many of the documents found mention it."""

    id: UUID
    kind: str
    name: str
    documents: int


@dataclass(frozen=True, slots=True)
class Facets:
    """Types and entities of the best documents, the most frequent first; `of` is how many were looked at."""

    of: int = 0
    types: tuple[tuple[str, int], ...] = ()
    entities: tuple[EntityFacet, ...] = ()


def facets(conn: Connection, documents: Sequence[UUID]) -> Facets:
    """Count types and entities of the best documents."""
    given = {"ids": list(documents[:_COUNTED]), "most": _MOST, "kinds": list(_KINDS)}
    if not documents:
        return Facets()
    types = conn.execute(_SQL["type_facets"], given).fetchall()
    entities = conn.execute(_SQL["entity_facets"], given)
    return Facets(
        of=min(len(documents), _COUNTED),
        types=tuple((row["value"], row["documents"]) for row in types),
        entities=tuple(EntityFacet(**row) for row in entities),
    )
