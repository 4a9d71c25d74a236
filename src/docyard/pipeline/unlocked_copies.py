"""Unlocking of protected PDF files: a copy without password is stored and read instead of the original."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

from docyard.db import Connection, Database
from docyard.errors import BadInput, NotFound
from docyard.model.documents import Document
from docyard.model.timeouts import RENDER
from docyard.pipeline.children import ChildPool
from docyard.pipeline.children.tasks import unlock_pdf
from docyard.pipeline.reruns import retry_document
from docyard.store.blobs import FolderBlobs
from docyard.store.documents import get_document
from docyard.store.renditions import find_rendition, save_rendition

_KIND = "unlocked"
_WHOLE = 0  # page number of a rendition of the whole document


def waits_for_password(document: Document) -> bool:
    """Return whether a document is a PDF file that failed because it needs a password."""
    locked = document.status == "failed" and document.reason_category == "encrypted"
    return locked and document.media_type == "application/pdf"


def find_unlocked_key(conn: Connection, document: Document) -> str | None:
    """Return the blob key of the copy without password, or None if there is no copy."""
    return find_rendition(conn, document.id, kind=_KIND, page=_WHOLE)


def require_source(db: Database, blobs: FolderBlobs, document_id: UUID, workspace_id: UUID | None = None) -> None:
    """Raise BadInput if the stored file of an ended document, or its copy without password, is missing.

    Raises StoreUnavailable if the blob store is unavailable. Without the file, discarded results are lost.
    """
    with db.transaction(workspace_id) as conn:
        document = get_document(conn, document_id)
        unlocked = find_unlocked_key(conn, document)
    keys = (document.blob_key, unlocked) if document.completed_at is not None else ()
    if not all(blobs.exists(key) for key in keys if key is not None):
        missing = f"The stored file of {document.name} is missing, so it cannot be processed again."
        raise BadInput(f"{missing} Upload the file again to restore it.")


def unlock_document(db: Database, blobs: FolderBlobs, children: ChildPool, document: Document, password: str) -> None:
    """Store a copy of a PDF file without its password, and retry the document; the password is not stored."""
    if not waits_for_password(document) or document.blob_key is None:
        raise BadInput(f"{document.name} is not a PDF file that is waiting for a password.")
    try:
        with blobs.open_path(document.blob_key) as path:
            copy = _make_copy(children, path, password)
    except NotFound:
        raise BadInput("The stored file is missing.") from None
    key = blobs.put(document.workspace_id, copy)
    with db.transaction(document.workspace_id) as conn:
        save_rendition(
            conn,
            document.id,
            document.workspace_id,
            kind=_KIND,
            page=_WHOLE,
            blob_key=key,
            media_type="application/pdf",
        )
        retry_document(conn, document.id)


def _make_copy(children: ChildPool, path: Path, password: str) -> bytes:
    return children.call(unlock_pdf, path, password, seconds=RENDER)
