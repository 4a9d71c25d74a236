"""Shifts of the times of documents, sessions and links after a step of the database's clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.store", "shifted_times.sql")
_MAX_LIVE_DOCUMENTS = 20_000
_BATCH_SIZE = 2000
_START = ("-infinity", str(UUID(int=0)))
Part = Callable[[Connection, Mapping[str, Any]], list[str]]  # as in queue.control.shifts


def _shift_rows(query: str, conn: Connection, remainder: Mapping[str, Any]) -> list[str]:
    return [row["key"] for row in conn.execute(_SQL[query], {**remainder, "limit": _MAX_LIVE_DOCUMENTS})]


def _pull_documents(query: str, conn: Connection, remainder: Mapping[str, Any]) -> list[str]:
    place, document_id = remainder["rest"] or _START
    params = {**remainder, "place": place, "id": document_id, "limit": _BATCH_SIZE}
    last = conn.execute(_SQL[query], params).fetchone()
    return [last["place"], last["id"]] if last and last["documents"] == _BATCH_SIZE else []


SHIFTS: dict[str, Part] = {
    "sessions": partial(_shift_rows, "shift_sessions"),
    "links": partial(_shift_rows, "shift_links"),
    "documents": partial(_shift_rows, "shift_live_documents"),
}
PULLS: dict[str, Part] = {
    "ended_documents": partial(_pull_documents, "pull_ended_documents"),
    "live_documents": partial(_pull_documents, "pull_live_documents"),
}
