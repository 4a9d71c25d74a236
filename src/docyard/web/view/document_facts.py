"""What a document says, as its page shows it: type with evidence, fields, things and relations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from uuid import UUID

from docyard.db import Connection
from docyard.model.documents import Document
from docyard.model.entities import PlacedMention, PlacedRelation, Thing
from docyard.model.facts import PERSON, KeptField
from docyard.model.values import Evidence
from docyard.pipeline.storage.classification import load_classification
from docyard.store.fields import kept_fields
from docyard.store.graph import entities
from docyard.web.view import fact_words
from docyard.web.view.page_params import Look, points

_MOST_RELATIONS = 40
_MOST_MENTIONS = 100


@dataclass(frozen=True, slots=True)
class Group:
    """Things of one kind."""

    kind: str
    things: list[Thing]

    @property
    def left_out(self) -> int:
        """How many more there are."""
        return self.things[0].of_kind - len(self.things)


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything a document says; `sorted_out` when its type was looked for."""

    sorted_out: bool
    evidence: dict[str, list[Evidence]]  # by the type it speaks for; more than one only where it is not sure
    fields: dict[str, list[KeptField]]
    groups: list[Group]
    chosen: list[PlacedMention]
    relations: list[PlacedRelation]
    more_relations: bool
    on_page: list[PlacedMention]

    @property
    def any(self) -> bool:
        """Whether there is anything to show beside the pages."""
        return bool(self.fields or self.groups or self.relations)


def facts_of(conn: Connection, document: Document, look: Look) -> Facts:
    """Load what a document says, with what is on the page that is looked at."""
    told = evidence_of(conn, document)
    # One more than is shown tells whether there are others.
    related = entities.telling_relations(conn, document.id, _MOST_RELATIONS + 1)
    return Facts(
        sorted_out=told is not None,
        evidence=told or {},
        fields=_by_name(kept_fields(conn, document.id)),
        groups=_groups(entities.things_in(conn, document.id)),
        chosen=_chosen(conn, document.id, look, _MOST_MENTIONS),
        relations=related[:_MOST_RELATIONS],
        more_relations=len(related) > _MOST_RELATIONS,
        on_page=[] if look.plain else entities.mentions_in(conn, document.id, look.number),
    )


def evidence_of(conn: Connection, document: Document) -> dict[str, list[Evidence]] | None:
    """What spoke for each type; None where nobody looked for one."""
    classified = load_classification(conn, document)
    return _by_type(classified.evidence, document.type) if classified else None


def at_first_mention(conn: Connection, document_id: UUID, look: Look) -> Look:
    """Where no page was named, the first one that mentions what is pointed at."""
    found = _chosen(conn, document_id, look, 1) if look.anywhere else []
    return replace(look, number=found[0].page) if found else look


def _chosen(conn: Connection, document_id: UUID, look: Look, most: int) -> list[PlacedMention]:
    if not points(look):
        return []
    return entities.mentions_alike(
        conn, document_id, mention_id=look.mention, entity_id=look.entity, most=most
    )


def _by_type(evidence: Sequence[Evidence], settled: str | None) -> dict[str, list[Evidence]]:
    """What speaks for each type, the likeliest first; where the type is known, for that one alone."""
    found: dict[str, list[Evidence]] = {}
    for each in evidence:
        if not settled or each.kind in ("", settled):
            found.setdefault(each.kind, []).append(each)
    return found


def _by_name(fields: Sequence[KeptField]) -> dict[str, list[KeptField]]:
    """Fields in the order in which they stand in the document; what stands nowhere comes last."""
    placed = sorted(fields, key=lambda each: (each.span is None, each.span or (0, 0, 0)))
    ordered: dict[str, list[KeptField]] = {each.name: [] for each in placed}
    # What a person gave comes before what was found, and what was rejected after it.
    for field in sorted(placed, key=lambda each: (each.state == "rejected", each.source != PERSON)):
        ordered[field.name].append(field)
    return ordered


def _groups(things: Sequence[Thing]) -> list[Group]:
    found = {kind: list(several) for kind, several in groupby(things, lambda each: each.kind)}
    order = [kind for kind in fact_words.KIND_GROUPS if kind in found]
    return [Group(kind, found[kind]) for kind in [*order, *(kind for kind in found if kind not in order)]]
