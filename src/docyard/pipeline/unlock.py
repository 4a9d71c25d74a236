"""Unlocking a document: a copy without its password is kept beside the original, and read in its place."""

from __future__ import annotations

from pathlib import Path

from docyard.db import Connection, Database
from docyard.errors import BadInput, NotFound
from docyard.model.documents import Document
from docyard.model.timeouts import RENDER
from docyard.pipeline.children import ChildPool
from docyard.pipeline.children.tasks import unlock_pdf
from docyard.pipeline.reprocess import retry_document
from docyard.store.blobs import FolderBlobs
from docyard.store.renditions import find_rendition, save_rendition

_KIND = "unlocked"
_WHOLE = 0  # it is of no single page


def waits_for_password(document: Document) -> bool:
    """Whether a password is all that is missing; only PDF files can be unlocked."""
    locked = document.status == "failed" and document.reason_category == "encrypted"
    return locked and document.media_type == "application/pdf"


def unlocked_key(conn: Connection, document: Document) -> str | None:
    """Where the copy without a password is kept, if there is one."""
    return find_rendition(conn, document.id, kind=_KIND, page=_WHOLE)


def unlock_document(
    db: Database, blobs: FolderBlobs, children: ChildPool, document: Document, password: str
) -> None:
    """Open a document with its password and queue it again; the password itself is kept nowhere."""
    if not waits_for_password(document) or document.blob_key is None:
        raise BadInput(f"{document.name} does not wait for a password.")
    try:
        with blobs.local(document.blob_key) as path:
            copy = _copy(children, path, password)
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


def _copy(children: ChildPool, path: Path, password: str) -> bytes:
    return children.call(unlock_pdf, path, password, seconds=RENDER)
