"""Facets of a search result: counts of document types and entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.search", "facts.sql")
_MAX_DOCUMENTS = 200  # best documents to count; counting more would cost more than finding them
_MAX_FACETS = 10
_KINDS = ("person", "organisation", "place", "court", "case_number", "citation", "statute", "equipment", "part")


@dataclass(frozen=True, slots=True)
class EntityFacet:
    """An entity, and the number of found documents that mention it."""

    id: UUID
    kind: str
    name: str
    documents: int


@dataclass(frozen=True, slots=True)
class Facets:
    """The most frequent types and entities of the best documents; `of` is the number of documents counted."""

    of: int = 0
    types: tuple[tuple[str, int], ...] = ()
    entities: tuple[EntityFacet, ...] = ()


def count_facets(conn: Connection, documents: Sequence[UUID]) -> Facets:
    """Count the types and entities of the best documents, which come first in `documents`."""
    params = {"ids": list(documents[:_MAX_DOCUMENTS]), "limit": _MAX_FACETS, "kinds": list(_KINDS)}
    if not documents:
        return Facets()
    types = conn.execute(_SQL["type_facets"], params).fetchall()
    entities = conn.execute(_SQL["entity_facets"], params)
    return Facets(
        of=min(len(documents), _MAX_DOCUMENTS),
        types=tuple((row["value"], row["documents"]) for row in types),
        entities=tuple(EntityFacet(**row) for row in entities),
    )
