"""The facts of a document for its page: type with evidence, fields, mentions and relations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from uuid import UUID

from docyard.db import Connection
from docyard.model.documents import Document
from docyard.model.entities import PlacedMention, PlacedRelation, Thing
from docyard.model.facts import PERSON, KeptField
from docyard.model.stage_values import Evidence
from docyard.pipeline.storage.classification import load_classification
from docyard.store.fields import kept_fields
from docyard.store.graph import entities
from docyard.web.view import fact_labels
from docyard.web.view.page_links import Look, points

_MAX_RELATIONS = 40
_MAX_MENTIONS = 100


@dataclass(frozen=True, slots=True)
class Group:
    """Entities, dates or amounts of one kind."""

    kind: str
    things: list[Thing]

    @property
    def left_out(self) -> int:
        """How many are not listed."""
        return self.things[0].of_kind - len(self.things)


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a document; `sorted_out` is whether it has been classified."""

    sorted_out: bool
    evidence: dict[str, list[Evidence]]  # by type; several types only if the type is uncertain
    fields: dict[str, list[KeptField]]
    groups: list[Group]
    chosen: list[PlacedMention]
    relations: list[PlacedRelation]
    more_relations: bool
    on_page: list[PlacedMention]

    @property
    def any(self) -> bool:
        """Whether there are facts to show next to the pages."""
        return bool(self.fields or self.groups or self.relations)


def facts_of(conn: Connection, document: Document, look: Look) -> Facts:
    """Load the facts of a document and the mentions on the requested page."""
    evidence = evidence_of(conn, document)
    # One more than shown, to find out whether there are more.
    related = entities.telling_relations(conn, document.id, _MAX_RELATIONS + 1)
    return Facts(
        sorted_out=evidence is not None,
        evidence=evidence or {},
        fields=_group_fields(kept_fields(conn, document.id)),
        groups=_group_things(entities.things_in(conn, document.id)),
        chosen=_selected_mentions(conn, document.id, look, _MAX_MENTIONS),
        relations=related[:_MAX_RELATIONS],
        more_relations=len(related) > _MAX_RELATIONS,
        on_page=[] if look.plain else entities.mentions_in(conn, document.id, look.number),
    )


def evidence_of(conn: Connection, document: Document) -> dict[str, list[Evidence]] | None:
    """Return the evidence for each type; None if the document has not been classified."""
    classified = load_classification(conn, document)
    return _group_evidence(classified.evidence, document.type) if classified else None


def at_first_mention(conn: Connection, document_id: UUID, look: Look) -> Look:
    """Return the request with the page of the first mention of the selection, if it names no page."""
    found = _selected_mentions(conn, document_id, look, 1) if look.anywhere else []
    return replace(look, number=found[0].page) if found else look


def _selected_mentions(conn: Connection, document_id: UUID, look: Look, most: int) -> list[PlacedMention]:
    if not points(look):
        return []
    return entities.mentions_alike(
        conn, document_id, mention_id=look.mention, entity_id=look.entity, most=most
    )


def _group_evidence(evidence: Sequence[Evidence], settled: str | None) -> dict[str, list[Evidence]]:
    """Return evidence by type, the likeliest first; if the type is settled, only its evidence."""
    found: dict[str, list[Evidence]] = {}
    for each in evidence:
        if not settled or each.kind in ("", settled):
            found.setdefault(each.kind, []).append(each)
    return found


def _group_fields(fields: Sequence[KeptField]) -> dict[str, list[KeptField]]:
    """Return fields by name in reading order; fields without a place come last."""
    placed = sorted(fields, key=lambda each: (each.span is None, each.span or (0, 0, 0)))
    ordered: dict[str, list[KeptField]] = {each.name: [] for each in placed}
    # Within a name: values from users first, then found values, rejected values last.
    for field in sorted(placed, key=lambda each: (each.state == "rejected", each.source != PERSON)):
        ordered[field.name].append(field)
    return ordered


def _group_things(things: Sequence[Thing]) -> list[Group]:
    found = {kind: list(several) for kind, several in groupby(things, lambda each: each.kind)}
    order = [kind for kind in fact_labels.KIND_GROUPS if kind in found]
    return [Group(kind, found[kind]) for kind in [*order, *(kind for kind in found if kind not in order)]]
