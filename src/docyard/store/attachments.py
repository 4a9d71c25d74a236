"""What was found inside documents, and which documents it became."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.model.documents import Contained, Document, Family, Found
from docyard.model.values import Attachment

_SQL = Queries("docyard.store", "attachments.sql")
_MOST_SHOWN = 50


def family_size(conn: Connection, document_id: UUID) -> Family:
    """The outermost document around this one, and how much has been found inside it elsewhere."""
    row = conn.execute(_SQL["family_size"], {"document_id": document_id}).fetchone()
    return Family(**row) if row else Family(document_id, 0, 0)


def lock_family(conn: Connection, root_id: UUID) -> None:
    """Let nobody else add to this family until the transaction ends; taken before any other lock."""
    conn.execute(_SQL["lock_family"], {"root_id": root_id})


def save_attachments(conn: Connection, document: Document, found: Sequence[Attachment]) -> None:
    """Note what was found inside a document; what is known already keeps what became of it."""
    given = {
        "document_id": document.id,
        "workspace_id": document.workspace_id,
        "root_id": family_size(conn, document.id).root_id,
        "members": [each.member for each in found],
        "names": [each.name for each in found],
        "sizes": [each.size for each in found],
    }
    conn.execute(_SQL["drop_attachments"], given)
    if found:
        conn.execute(_SQL["save_attachments"], given)


def waiting_members(conn: Connection, document_id: UUID) -> list[str]:
    """What has neither become a document nor been refused."""
    return [row["member"] for row in conn.execute(_SQL["waiting_members"], {"document_id": document_id})]


def get_attachment(conn: Connection, document_id: UUID, member: str) -> Contained | None:
    """One thing found inside a document, None when there is no such thing."""
    given = {"document_id": document_id, "member": member}
    row = conn.execute(_SQL["get_attachment"], given).fetchone()
    return Contained(**row) if row else None


def link_child(conn: Connection, document_id: UUID, member: str, child_id: UUID) -> None:
    """Note which document an attachment became."""
    conn.execute(_SQL["link_child"], {"document_id": document_id, "member": member, "child_id": child_id})


def refuse_child(conn: Connection, document_id: UUID, member: str, reason: str) -> None:
    """Note why an attachment became no document."""
    conn.execute(_SQL["refuse_child"], {"document_id": document_id, "member": member, "reason": reason})


def attachments_of(conn: Connection, document_id: UUID) -> list[Contained]:
    """What was found inside a document, in the order in which it was found."""
    return [Contained(**row) for row in conn.execute(_SQL["attachments_of"], {"document_id": document_id})]


def found_in(conn: Connection, document_id: UUID) -> list[Found]:
    """The documents in which a document was found."""
    rows = conn.execute(_SQL["found_in"], {"document_id": document_id, "most": _MOST_SHOWN})
    return [Found(**row) for row in rows]
