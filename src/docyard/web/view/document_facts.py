"""The facts of a document for its page: type with evidence, fields, mentions and relations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from uuid import UUID

from docyard.db import Connection
from docyard.model.documents import Document
from docyard.model.entities import DistinctMention, MentionView, RelationView
from docyard.model.facts import USER_SOURCE, StoredField
from docyard.model.stage_values import TypeEvidence
from docyard.pipeline.storage.classification import load_classification
from docyard.store.fields import list_fields
from docyard.store.graph import entities
from docyard.web.view import fact_labels
from docyard.web.view.page_links import PageRequest, has_selection

_MAX_RELATIONS = 40
_MAX_MENTIONS = 100


@dataclass(frozen=True, slots=True)
class Group:
    """Entities, dates or amounts of one kind."""

    kind: str
    things: list[DistinctMention]

    @property
    def left_out(self) -> int:
        """The number of entries of this kind that are not listed."""
        return self.things[0].of_kind - len(self.things)


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a document; `sorted_out` means that the document has been classified."""

    sorted_out: bool
    evidence: dict[str, list[TypeEvidence]]  # by type; several types only if the type is uncertain
    fields: dict[str, list[StoredField]]
    groups: list[Group]
    chosen: list[MentionView]
    relations: list[RelationView]
    more_relations: bool
    on_page: list[MentionView]

    @property
    def any(self) -> bool:
        """Whether there are facts to show next to the pages."""
        return bool(self.fields or self.groups or self.relations)


def load_facts(conn: Connection, document: Document, page_request: PageRequest) -> Facts:
    """Load the facts of a document and the mentions on the requested page."""
    evidence = load_evidence(conn, document)
    # Load one more than is shown, to find out whether there are more.
    related = entities.list_specific_relations(conn, document.id, _MAX_RELATIONS + 1)
    return Facts(
        sorted_out=evidence is not None,
        evidence=evidence or {},
        fields=_group_fields(list_fields(conn, document.id)),
        groups=_group_things(entities.list_distinct_mentions(conn, document.id)),
        chosen=_selected_mentions(conn, document.id, page_request, _MAX_MENTIONS),
        relations=related[:_MAX_RELATIONS],
        more_relations=len(related) > _MAX_RELATIONS,
        on_page=[] if page_request.plain else entities.list_document_mentions(conn, document.id, page_request.number),
    )


def load_evidence(conn: Connection, document: Document) -> dict[str, list[TypeEvidence]] | None:
    """Return the evidence for each type; None if the document has not been classified."""
    classified = load_classification(conn, document)
    return _group_evidence(classified.evidence, document.type) if classified else None


def open_at_first_mention(conn: Connection, document_id: UUID, page_request: PageRequest) -> PageRequest:
    """Return the request, with the page of the first selected mention if the URL names no page."""
    found = _selected_mentions(conn, document_id, page_request, 1) if page_request.anywhere else []
    return replace(page_request, number=found[0].page) if found else page_request


def _selected_mentions(conn: Connection, document_id: UUID, page_request: PageRequest, limit: int) -> list[MentionView]:
    if not has_selection(page_request):
        return []
    return entities.list_same_mentions(
        conn, document_id, mention_id=page_request.mention, entity_id=page_request.entity, limit=limit
    )


def _group_evidence(evidence: Sequence[TypeEvidence], settled: str | None) -> dict[str, list[TypeEvidence]]:
    """Return evidence by type, in the given order; if the type is settled, leave out that for other types."""
    found: dict[str, list[TypeEvidence]] = {}
    for each in evidence:
        if not settled or each.kind in ("", settled):
            found.setdefault(each.kind, []).append(each)
    return found


def _group_fields(fields: Sequence[StoredField]) -> dict[str, list[StoredField]]:
    """Return fields by name in reading order; fields without a span come last."""
    placed = sorted(fields, key=lambda each: (each.span is None, each.span or (0, 0, 0)))
    ordered: dict[str, list[StoredField]] = {each.name: [] for each in placed}
    # Within a name: values from users first, then extracted values, then rejected values.
    for field in sorted(placed, key=lambda each: (each.state == "rejected", each.source != USER_SOURCE)):
        ordered[field.name].append(field)
    return ordered


def _group_things(things: Sequence[DistinctMention]) -> list[Group]:
    found = {kind: list(several) for kind, several in groupby(things, lambda each: each.kind)}
    order = [kind for kind in fact_labels.KIND_GROUPS if kind in found]
    return [Group(kind, found[kind]) for kind in [*order, *(kind for kind in found if kind not in order)]]
