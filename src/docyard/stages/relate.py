"""Relate: how the entities of a document relate to it and to each other, with the place that says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from docyard.facts.relations.co_mentions import beside
from docyard.facts.relations.field_mentions import named_by_fields
from docyard.facts.relations.typed import typed
from docyard.model.facts import EntityKey, Relation
from docyard.model.stages import Given, Stage
from docyard.model.values import Canonicalised, Classified, Extracted, Fielded, Related


def run(given: Given) -> Related:
    """What fields and mentions tell; that two things merely stand together comes last."""
    pages, fields = given.the(Extracted).pages, given.the(Fielded).fields
    known = given.the(Canonicalised).mentions
    added = named_by_fields(fields, known, pages)
    known = (*known, *added)
    told = typed(given.the(Classified).type, fields, known, pages)
    return Related(tuple(_once([*told, *beside(known, pages)])), added)


def _once(relations: Iterable[Relation]) -> Iterator[Relation]:
    """The first of each type between the same ends; for those that relate, standing together says nothing."""
    seen: set[tuple[str, EntityKey, EntityKey | None]] = set()
    related: set[frozenset[EntityKey | None]] = set()
    for each in relations:
        ends = frozenset((each.source, each.target))
        said = (each.type, each.source, each.target)
        if said in seen or (each.type == "mentioned_with" and ends in related):
            continue
        seen.add(said)
        related.add(ends)
        yield each


STAGE = Stage(
    name="relate",
    version=1,
    resource="cpu",
    needs=(Extracted, Classified, Fielded, Canonicalised),
    gives=Related,
    run=run,
    label="Relate",
    activity="Finding how they relate",
)
