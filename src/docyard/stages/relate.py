"""Relate: relations of entities to the document and to each other, each with the span that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from docyard.facts.relations.co_mentions import find_co_mentions
from docyard.facts.relations.field_mentions import make_field_mentions
from docyard.facts.relations.typed_relations import find_typed_relations
from docyard.model.facts import EntityKey, Relation
from docyard.model.stage_values import (
    CanonicalMentions,
    Classification,
    DocumentFields,
    DocumentRelations,
    ExtractedText,
)
from docyard.model.stages import Stage, StageInput


def run(inputs: StageInput) -> DocumentRelations:
    """Return the relations, with co-mentions last, and the mentions that were made from fields."""
    pages, fields = inputs.get(ExtractedText).pages, inputs.get(DocumentFields).fields
    known = inputs.get(CanonicalMentions).mentions
    added = make_field_mentions(fields, known, pages)
    known = (*known, *added)
    relations = find_typed_relations(inputs.get(Classification).type, fields, known, pages)
    return DocumentRelations(tuple(_drop_duplicates([*relations, *find_co_mentions(known, pages)])), added)


def _drop_duplicates(relations: Iterable[Relation]) -> Iterator[Relation]:
    """Yield each relation once; skip co-mentions of two entities that are already related."""
    seen: set[tuple[str, EntityKey, EntityKey | None]] = set()
    related: set[frozenset[EntityKey | None]] = set()
    for each in relations:
        ends = frozenset((each.source, each.target))
        identity = (each.type, each.source, each.target)
        if identity in seen or (each.type == "mentioned_with" and ends in related):
            continue
        seen.add(identity)
        related.add(ends)
        yield each


STAGE = Stage(
    name="relate",
    version=1,
    resource="cpu",
    inputs=(ExtractedText, Classification, DocumentFields, CanonicalMentions),
    output=DocumentRelations,
    run=run,
    label="Relate",
    activity="Finding relations",
)
