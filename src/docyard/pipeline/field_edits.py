"""Edits of fields by users; the document is locked during an edit, and its relations are updated after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from uuid import UUID

from docyard import queue
from docyard.db import Connection
from docyard.errors import BadInput
from docyard.facts.fields.user_values import clean_value, normalise_value
from docyard.facts.vocabulary import FIELD_NAMES
from docyard.model.documents import Document
from docyard.model.facts import USER_SOURCE, FieldValue, Span
from docyard.pipeline.children import ChildPool
from docyard.pipeline.children.tasks import find_value, normalise_at_span
from docyard.pipeline.reruns import relate_again
from docyard.store import documents, facts


@contextmanager
def lock_for_edit(conn: Connection, document_id: UUID) -> Iterator[Document]:
    """Lock a document and its jobs while its fields are edited; queue `relate` if the fields changed."""
    queue.lock_document(conn, document_id)
    document = documents.get_document(conn, document_id)
    before = facts.load_fields(conn, document_id)
    yield document
    if facts.load_fields(conn, document_id) != before:
        relate_again(conn, document)


def make_user_value(name: str, text: str) -> FieldValue:
    """Return the value that a user entered for a field; raise BadInput if it is not valid."""
    if name not in FIELD_NAMES:
        raise BadInput(f"'name' must be one of {', '.join(FIELD_NAMES)}.")
    value = clean_value(text)
    return FieldValue(name, value, normalise_value(name, value), 1.0, USER_SOURCE)


# Regular expressions run on a document's text only in a child, where their time is limited.
def find_spans(
    children: ChildPool, new: FieldValue, pages: Mapping[int, str], *, limit: int, seconds: float
) -> list[Span]:
    """Return at most `limit` spans where the value occurs in the pages, given as texts by page number."""
    return children.call(find_value, new.name, new.value, list(pages.items()), limit, seconds=seconds)


def read_value_at(children: ChildPool, new: FieldValue, text: str, span: Span, *, seconds: float) -> FieldValue | None:
    """Return the value as written in this span of the page's text; None if the value is not there."""
    normal = children.call(normalise_at_span, new.name, new.value, text, span, seconds=seconds)
    if normal is None:
        return None
    value = text[span.start : span.end]
    return FieldValue(new.name, value, normal, new.confidence, new.source, span)
