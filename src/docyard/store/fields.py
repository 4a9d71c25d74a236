"""Fields as people look at them: confirmed, rejected, and corrected by values of their own."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.errors import NotFound
from docyard.model.facts import PERSON, KeptField, Span
from docyard.store.facts import day_of, number_of

_SQL = Queries("docyard.store", "fields.sql")


def kept_fields(conn: Connection, document_id: UUID) -> tuple[KeptField, ...]:
    """The fields of a document, also what people rejected and what they gave."""
    return tuple(map(_kept, conn.execute(_SQL["kept_fields"], {"document_id": document_id})))


def field_to_change(conn: Connection, field_id: int) -> dict[str, Any]:
    """A field by its number, or NotFound; nobody else changes it in this transaction."""
    row = conn.execute(_SQL["get_field"], {"id": field_id}).fetchone()
    if row is None:
        raise NotFound("There is no such field.")
    return row


def decide_field(conn: Connection, field_id: int, state: str, by: str) -> None:
    """Confirm or reject a field, or leave it open again; a value that a person gave goes when taken back."""
    given = field_to_change(conn, field_id)["source"] == PERSON
    query = "take_back" if given and state == "unconfirmed" else "decide_field"
    conn.execute(_SQL[query], {"id": field_id, "state": state, "by": by if state != "unconfirmed" else None})


def correct_field(conn: Connection, field_id: int, value: str, normal: str, by: str) -> None:
    """Give a value in place of one that was found, which is rejected; of what was found, it is confirmed."""
    field = field_to_change(conn, field_id)
    if field["source"] != PERSON and field["normal"] == normal:
        return decide_field(conn, field_id, "confirmed", by)
    given = {"id": field_id, "value": value, "normal": normal, "by": by}
    typed = {**field, **given, "number": number_of(normal), "day": day_of(normal)}
    if field["source"] == PERSON:
        conn.execute(_SQL["change_given"], typed)
        return None
    conn.execute(_SQL["give_field"], typed)
    return decide_field(conn, field_id, "rejected", by)


def _kept(row: dict[str, Any]) -> KeptField:
    page, start, end = (row.pop(name) for name in ("page", "start", "end"))
    return KeptField(**row, span=Span(page, start, end) if page else None)
