"""Fields with users' decisions: confirmed, rejected, corrected and added values."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.errors import NotFound
from docyard.model.documents import Document
from docyard.model.facts import USER_SOURCE, FieldValue, Span, StoredField
from docyard.store.facts import parse_date, parse_number

_SQL = Queries("docyard.store", "fields.sql")


def list_fields(conn: Connection, document_id: UUID) -> tuple[StoredField, ...]:
    """Return all fields of a document, including rejected ones and users' values."""
    return tuple(map(_make_field, conn.execute(_SQL["list_fields"], {"document_id": document_id})))


def lock_field(conn: Connection, field_id: int) -> dict[str, Any]:
    """Lock and return a field by its id; raise NotFound if it does not exist."""
    row = conn.execute(_SQL["get_field"], {"id": field_id}).fetchone()
    if row is None:
        raise NotFound("There is no such field.")
    return row


def decide_field(conn: Connection, field_id: int, state: str, by: str) -> None:
    """Set the state of a field; undoing the decision on a user's value deletes that value."""
    is_user_value = lock_field(conn, field_id)["source"] == USER_SOURCE
    query = "take_back" if is_user_value and state == "unconfirmed" else "decide_field"
    conn.execute(_SQL[query], {"id": field_id, "state": state, "by": by if state != "unconfirmed" else None})


def correct_field(conn: Connection, field_id: int, value: str, normal: str, by: str) -> None:
    """Save a user's value and reject the extracted one; if both are equal, only confirm the extracted one."""
    field = lock_field(conn, field_id)
    if field["source"] != USER_SOURCE and field["normal"] == normal:
        return decide_field(conn, field_id, "confirmed", by)
    params = {"id": field_id, "value": value, "normal": normal, "by": by}
    typed = {**field, **params, "number": parse_number(normal), "day": parse_date(normal)}
    if field["source"] == USER_SOURCE:
        conn.execute(_SQL["change_given"], typed)
        return None
    conn.execute(_SQL["give_field"], typed)
    return decide_field(conn, field_id, "rejected", by)


def get_field_document(conn: Connection, field_id: int) -> UUID:
    """Return the document of a field; raise NotFound if the field does not exist."""
    row = conn.execute(_SQL["get_field_document"], {"id": field_id}).fetchone()
    if row is None:
        raise NotFound("There is no such field.")
    return UUID(str(row["document_id"]))


def add_field(conn: Connection, document: Document, new: FieldValue, by: str) -> int:
    """Add a user's value for a field, or confirm its existing value with this normal form; return the id.

    The caller must have locked the document, so that concurrent calls cannot add the same value twice.
    """
    of = {"document_id": document.id, "workspace_id": document.workspace_id}
    row = conn.execute(_SQL["field_alike"], {**of, "name": new.name, "normal": new.normal}).fetchone()
    if row is not None:
        decide_field(conn, row["id"], "confirmed", by)
        return int(row["id"])
    page, start, end = new.span or (None, None, None)
    typed = {"number": parse_number(new.normal), "day": parse_date(new.normal), "by": by}
    params = {**of, **typed, "name": new.name, "value": new.value, "normal": new.normal}
    added = conn.execute(_SQL["add_field"], {**params, "page": page, "start": start, "end": end}).fetchone()
    return int(added["id"]) if added else 0


def _make_field(row: dict[str, Any]) -> StoredField:
    page, start, end = (row.pop(name) for name in ("page", "start", "end"))
    return StoredField(**row, span=Span(page, start, end) if page else None)
