"""JSON of documents, search results and uploads."""

from __future__ import annotations

from datetime import datetime

from docyard.model.documents import Attempt, ContainedFile, Document, Hit
from docyard.model.status import display_state
from docyard.search import MARK_END, MARK_START, Facets, SearchResult
from docyard.web.actions.multipart import UploadResult

Json = dict[str, object]


def document_json(document: Document) -> Json:
    """Return a document with its display state."""
    return {
        "id": str(document.id),
        "name": document.name,
        "title": document.title,
        "status": document.status,
        "state": _state(document),
        "stage": document.stage,
        "reason": document.reason,
        "reasonCategory": document.reason_category,
        "notes": list(document.notes),
        "mediaType": document.media_type,
        "size": document.size,
        "sha256": document.sha256,
        "pageCount": document.page_count,
        "language": document.language,
        "type": document.type,
        "typeConfidence": document.type_confidence,
        "summary": document.summary,
        "documentDate": document.document_date.isoformat() if document.document_date else None,
        "tags": [*document.tags, *document.further_tags],
        "foundTags": list(document.further_tags),
        "folder": document.folder,
        "folderId": str(document.folder_id) if document.folder_id else None,
        "source": document.source,
        "tier": document.tier.label,
        "priority": document.priority,
        "runningSeconds": document.running_seconds,
        "createdAt": _timestamp(document.created_at),
        "updatedAt": _timestamp(document.updated_at),
        "completedAt": _timestamp(document.completed_at),
        "retryAt": _timestamp(document.retry_at),
    }


def _state(document: Document) -> Json:
    state = display_state(document)
    return {
        "name": state.name,
        "word": state.word,
        "colour": state.colour,
        "action": state.action,
        "meaning": state.meaning,
        "cancel": state.cancel,
        "again": state.again,
    }


def attachment_json(attachment: ContainedFile) -> Json:
    """Return an attachment of a document."""
    return {
        "name": attachment.name,
        "size": attachment.size,
        "documentId": str(attachment.child_id) if attachment.child_id else None,
        "status": attachment.status,
        "reason": attachment.reason,
        "retryable": attachment.retryable,
    }


def attempt_json(attempt: Attempt) -> Json:
    """Return the JSON of one attempt at one stage."""
    return {
        "stage": attempt.stage,
        "outcome": attempt.outcome,
        "at": _timestamp(attempt.at),
        "seconds": attempt.seconds,
        "message": attempt.message,
        "worker": attempt.worker,
    }


def hit_json(hit: Hit) -> Json:
    """Return a hit; the snippet is plain text, and `matches` has the start and end of each match in it."""
    snippet, matches = _matches(hit.snippet)
    return {
        "documentId": str(hit.document_id),
        "name": hit.document_name,
        "title": hit.title,
        "page": hit.page,
        "start": hit.start,
        "end": hit.end,
        "score": hit.score,
        "foundBy": hit.by,
        "snippet": snippet,
        "matches": matches,
    }


def result_json(result: SearchResult) -> Json:
    """Return the hits of a search with its mode, note and spelling suggestion."""
    return {
        "total": result.total,
        "more": result.cut,
        "mode": result.mode,
        "note": result.note,
        "suggestion": result.suggestion,
        "hits": [hit_json(hit) for hit in result.hits],
    }


def facets_json(facets: Facets) -> Json:
    """Return the facets of a search."""
    return {
        "of": facets.of,
        "types": [{"type": name, "documents": count} for name, count in facets.types],
        "entities": [
            {"id": str(each.id), "kind": each.kind, "name": each.name, "documents": each.documents}
            for each in facets.entities
        ],
    }


def outcome_json(outcome: UploadResult) -> Json:
    """Return the result of uploading one file, without empty values."""
    values = {
        "name": outcome.name,
        "status": outcome.status,
        "documentId": str(outcome.document_id) if outcome.document_id else None,
        "existingName": outcome.existing_name,
        "reason": outcome.reason,
    }
    return {key: value for key, value in values.items() if value is not None}


def _matches(marked: str) -> tuple[str, list[list[int]]]:
    plain, matches, start = "", [], 0
    for char in marked:
        if char == MARK_START:
            start = len(plain)
        elif char == MARK_END:
            matches.append([start, len(plain)])
        else:
            plain += char
    return plain, matches


def _timestamp(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
