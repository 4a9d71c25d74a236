"""A person speaks of the fields of a document: nothing runs past it, and what follows from it is queued."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from docyard import queue
from docyard.db import Connection
from docyard.model.documents import Document
from docyard.pipeline.reprocess import relate_again
from docyard.store import documents, facts


@contextmanager
def speaking(conn: Connection, document_id: UUID) -> Iterator[Document]:
    """The document, locked with its jobs; if other fields hold afterwards, its relations are found again."""
    queue.lock_document(conn, document_id)
    document = documents.get_document(conn, document_id)
    before = facts.load_fields(conn, document_id)
    yield document
    if facts.load_fields(conn, document_id) != before:
        relate_again(conn, document)
