"""Actions on one document: retry, reprocess, unlock, cancel, move and delete."""

from __future__ import annotations

from uuid import UUID

from docyard import log
from docyard.errors import BadInput
from docyard.model.documents import Document
from docyard.pipeline.cancellation import cancel_document, delete_document
from docyard.pipeline.reruns import process_again, retry_document
from docyard.pipeline.unlocked_copies import require_source, unlock_document
from docyard.store.documents import get_document
from docyard.store.folders import move_document
from docyard.store.users import Identity
from docyard.web.context import Web


def retry(web: Web, identity: Identity, document_id: UUID) -> UUID | None:
    """Queue a document again and return the job; None if there is nothing to retry."""
    with web.db.transaction(identity.workspace_id) as conn:
        get_document(conn, document_id)
        job = retry_document(conn, document_id)
    log.event("document_retried", document=document_id, job=job, user=identity.user_id)
    return job


def reprocess(web: Web, identity: Identity, document_id: UUID) -> UUID | None:
    """Queue a finished document to be processed from its file again, and return the job."""
    require_source(web.db, web.blobs, document_id, identity.workspace_id)
    with web.db.transaction(identity.workspace_id) as conn:
        job = process_again(conn, document_id)
    log.event("document_reprocessed", document=document_id, job=job, user=identity.user_id)
    return job


def unlock(web: Web, identity: Identity, document_id: UUID, password: str) -> None:
    """Unlock a PDF with its password and queue it again; raise Reject if the password is wrong."""
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
    unlock_document(web.db, web.blobs, web.children, document, password)
    log.event("document_unlocked", document=document_id, user=identity.user_id)


def cancel(web: Web, identity: Identity, document_id: UUID) -> bool:
    """Cancel the processing of a document; return False if processing had already ended."""
    try:
        with web.db.transaction(identity.workspace_id) as conn:
            cancel_document(conn, document_id, identity.email)
    except BadInput:
        return False
    log.event("document_cancelled", document=document_id, user=identity.user_id)
    return True


def move(web: Web, identity: Identity, document_id: UUID, folder: str) -> UUID | None:
    """Move a document to the named folder, created if missing, or out of its folder if the name is empty.

    Returns the id of the new folder, or None.
    """
    with web.db.transaction(identity.workspace_id) as conn:
        moved = move_document(conn, identity.workspace_id, document_id, folder)
    log.event("document_moved", document=document_id, folder=moved, user=identity.user_id)
    return moved


def delete(web: Web, identity: Identity, document_id: UUID) -> Document:
    """Delete a document and return it."""
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
        delete_document(conn, document_id)
    log.event("document_deleted", document=document_id, user=identity.user_id)
    return document
