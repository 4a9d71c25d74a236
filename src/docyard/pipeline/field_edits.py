"""Edits of fields by people: no job runs past one, and what depends on the field is queued again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from uuid import UUID

from docyard import queue
from docyard.db import Connection
from docyard.errors import BadInput
from docyard.facts.fields.user_values import given_value, normal_of
from docyard.facts.vocabulary import FIELD_NAMES
from docyard.model.documents import Document
from docyard.model.facts import PERSON, FieldValue, Span
from docyard.pipeline.children import ChildPool
from docyard.pipeline.children.tasks import find_value, normal_at
from docyard.pipeline.reprocess import relate_again
from docyard.store import documents, facts


@contextmanager
def editing(conn: Connection, document_id: UUID) -> Iterator[Document]:
    """The document, locked with its jobs; if other fields hold afterwards, its relations are found again."""
    queue.lock_document(conn, document_id)
    document = documents.get_document(conn, document_id)
    before = facts.load_fields(conn, document_id)
    yield document
    if facts.load_fields(conn, document_id) != before:
        relate_again(conn, document)


def persons_value(name: str, text: str) -> FieldValue:
    """A value that a person typed for a field; BadInput where it can be none."""
    if name not in FIELD_NAMES:
        raise BadInput(f"'name' must be one of {', '.join(FIELD_NAMES)}.")
    value = given_value(text)
    return FieldValue(name, value, normal_of(name, value), 1.0, PERSON)


# Patterns meet a document's text in a child alone.
def find_places(
    children: ChildPool, new: FieldValue, pages: Mapping[int, str], *, most: int, seconds: float
) -> list[Span]:
    """Where pages, by number, say a value."""
    return children.call(find_value, new.name, new.value, list(pages.items()), most, seconds=seconds)


def at_place(
    children: ChildPool, new: FieldValue, text: str, span: Span, *, seconds: float
) -> FieldValue | None:
    """The value as the text of a page says it at its place; None where it does not."""
    normal = children.call(normal_at, new.name, new.value, text, span, seconds=seconds)
    if normal is None:
        return None
    words = text[span.start : span.end]
    return FieldValue(new.name, words, normal, new.confidence, new.source, span)
