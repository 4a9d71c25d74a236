"""Edits of fields by people: no job runs past one, and what depends on the field is queued again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from docyard import queue
from docyard.db import Connection
from docyard.errors import BadInput
from docyard.facts.fields.user_values import given_value, is_amount, is_day, normal_of
from docyard.facts.vocabulary import FIELD_NAMES
from docyard.model.documents import Document
from docyard.model.facts import PERSON, FieldValue, Span
from docyard.model.timeouts import RENDER
from docyard.pipeline.children import ChildPool
from docyard.pipeline.children.tasks import find_value
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


def find_places(
    children: ChildPool, new: FieldValue, pages: Sequence[tuple[int, str]], most: int
) -> list[Span]:
    """Where pages, by number and text, say a value; patterns meet a document's text in a child alone."""
    return children.call(find_value, new.name, new.value, pages, most, seconds=RENDER)


def at_place(new: FieldValue, span: Span, words: str) -> FieldValue:
    """The value as the text says it at its place."""
    same = is_amount(new.name) or is_day(new.name)
    normal = new.normal if same else normal_of(new.name, " ".join(words.split()))
    return FieldValue(new.name, words, normal, new.confidence, new.source, span)
