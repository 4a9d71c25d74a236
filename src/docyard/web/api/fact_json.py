"""JSON of fields, mentions, entities, relations and merges."""

from __future__ import annotations

from docyard.model.entities import Entity, MentionView, Merge, RelationView
from docyard.model.facts import StoredField
from docyard.model.stage_values import TypeEvidence
from docyard.model.text.bounding_boxes import find_boxes
from docyard.model.text.pages import Page
from docyard.web.actions.new_fields import Occurrence

Json = dict[str, object]


def evidence_json(evidence: TypeEvidence) -> Json:
    """Return evidence for a document type with its position."""
    span = evidence.span
    return {
        "type": evidence.kind or None,
        "phrase": evidence.phrase,
        "weight": evidence.weight,
        "page": span.page if span else None,
        "start": span.start if span else None,
        "end": span.end if span else None,
    }


def field_json(field: StoredField, page: Page | None) -> Json:
    """Return a field with its position and bounding boxes."""
    span = field.span
    return {
        "id": field.id,
        "name": field.name,
        "value": field.value,
        "normal": field.normal,
        "confidence": round(field.confidence, 4),
        "source": field.source,
        "state": field.state,
        "decidedBy": field.decided_by,
        "decidedAt": field.decided_at.isoformat() if field.decided_at else None,
        "corrects": field.corrects,
        "page": span.page if span else None,
        "start": span.start if span else None,
        "end": span.end if span else None,
        "boxes": _boxes(page, span.start, span.end) if span else [],
    }


def occurrence_json(offer: Occurrence) -> Json:
    """Return an occurrence of a value with the words around it; clients send `place` back to choose it."""
    span = {"page": offer.span.page, "start": offer.span.start, "end": offer.span.end}
    return {"place": offer.place, **span, "before": offer.before, "text": offer.text, "after": offer.after}


def mention_json(mention: MentionView, page: Page | None) -> Json:
    """Return a mention with its position, bounding boxes and entity."""
    return {
        "id": mention.id,
        "documentId": str(mention.document_id),
        "documentName": mention.document_name,
        "title": mention.title,
        "kind": mention.kind,
        "page": mention.page,
        "start": mention.start,
        "end": mention.end,
        "text": mention.text,
        "normal": mention.normal,
        "confidence": round(mention.confidence, 4),
        "source": mention.source,
        "field": mention.field,
        "state": mention.state,
        "entityId": str(mention.entity_id) if mention.entity_id else None,
        "entityName": mention.entity_name,
        "boxes": _boxes(page, mention.start, mention.end),
    }


def entity_json(entity: Entity) -> Json:
    """Return the JSON of an entity."""
    return {
        "id": str(entity.id),
        "kind": entity.kind,
        "name": entity.name,
        "key": entity.key,
        "mergedInto": str(entity.merged_into) if entity.merged_into else None,
        "documents": entity.documents,
    }


def relation_json(relation: RelationView) -> Json:
    """Return a relation with the position of the text that states it."""
    target: Json = (
        {"id": str(relation.to_id), "kind": relation.to_kind, "name": relation.to_name}
        if relation.to_id
        else {"documentId": str(relation.to_document), "name": relation.to_name}
    )
    return {
        "id": relation.id,
        "type": relation.type,
        "from": {"id": str(relation.from_id), "kind": relation.from_kind, "name": relation.from_name},
        "to": target,
        "documentId": str(relation.document_id),
        "documentName": relation.document_name,
        "page": relation.page,
        "start": relation.start,
        "end": relation.end,
        "confidence": round(relation.confidence, 4),
        "state": relation.state,
    }


def merge_json(merge: Merge) -> Json:
    """Return a proposed or decided merge of two entities."""
    return {
        "one": {"id": str(merge.one), "name": merge.one_name},
        "other": {"id": str(merge.other), "name": merge.other_name},
        "kind": merge.kind,
        "reason": merge.reason,
        "score": round(merge.score, 4) if merge.score is not None else None,
        "state": merge.state,
        "decidedBy": merge.decided_by,
        "decidedAt": merge.decided_at.isoformat() if merge.decided_at else None,
    }


def _boxes(page: Page | None, start: int, end: int) -> list[list[float]]:
    """Return left, top, right and bottom, in points, of the words on each line; empty without a page."""
    return [[round(edge, 1) for edge in box] for box in find_boxes(page, start, end)] if page else []
