"""Attachments: files found inside documents, and the documents made from them."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.model.documents import ContainedFile, ContainingDocument, Document, Family
from docyard.model.stage_values import Attachment

_SQL = Queries("docyard.store", "attachments.sql")
_MAX_PARENTS = 50


def family_size(conn: Connection, document_id: UUID) -> Family:
    """Return the family of a document: its root, and the totals of all attachments except this document's."""
    row = conn.execute(_SQL["family_size"], {"document_id": document_id}).fetchone()
    return Family(**row) if row else Family(document_id, 0, 0)


def lock_family(conn: Connection, root_id: UUID) -> None:
    """Lock the family against additions until the transaction ends; call it before taking any other lock."""
    conn.execute(_SQL["lock_family"], {"root_id": root_id})


def save_attachments(conn: Connection, document: Document, found: Sequence[Attachment]) -> None:
    """Replace the attachments of a document; those found again keep their documents; refusals are cleared."""
    params = {
        "document_id": document.id,
        "workspace_id": document.workspace_id,
        "root_id": family_size(conn, document.id).root_id,
        "members": [each.member for each in found],
        "names": [each.name for each in found],
        "sizes": [each.size for each in found],
    }
    conn.execute(_SQL["drop_attachments"], params)
    if found:
        conn.execute(_SQL["save_attachments"], params)


def list_open_members(conn: Connection, document_id: UUID) -> list[str]:
    """Return the members of attachments that have neither become a document nor been refused."""
    return [row["member"] for row in conn.execute(_SQL["list_open_members"], {"document_id": document_id})]


def get_attachment(conn: Connection, document_id: UUID, member: str) -> ContainedFile | None:
    """Return one attachment of a document, or None."""
    params = {"document_id": document_id, "member": member}
    row = conn.execute(_SQL["get_attachment"], params).fetchone()
    return ContainedFile(**row) if row else None


def link_child(conn: Connection, document_id: UUID, member: str, child_id: UUID) -> None:
    """Record which document was made from an attachment."""
    conn.execute(_SQL["link_child"], {"document_id": document_id, "member": member, "child_id": child_id})


def refuse_child(conn: Connection, document_id: UUID, member: str, reason: str) -> None:
    """Record why no document was made from an attachment."""
    conn.execute(_SQL["refuse_child"], {"document_id": document_id, "member": member, "reason": reason})


def refuse_failed_child(conn: Connection, job_id: UUID) -> None:
    """Record why no document was made from an attachment, if this job is a dead letter."""
    conn.execute(_SQL["refuse_failed_child"], {"job_id": job_id})


def list_attachments(conn: Connection, document_id: UUID) -> list[ContainedFile]:
    """Return the attachments of a document in the order in which they were found."""
    return [ContainedFile(**row) for row in conn.execute(_SQL["list_attachments"], {"document_id": document_id})]


def list_containing_documents(conn: Connection, document_id: UUID) -> list[ContainingDocument]:
    """Return at most 50 documents that contain this document as an attachment, oldest first."""
    rows = conn.execute(_SQL["list_containing_documents"], {"document_id": document_id, "limit": _MAX_PARENTS})
    return [ContainingDocument(**row) for row in rows]
