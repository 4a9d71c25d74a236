"""Recording of the SQL statements that a test sends."""

from __future__ import annotations

from threading import current_thread, main_thread
from typing import Any, NamedTuple

import psycopg
import pytest


class Statement(NamedTuple):
    """A statement, its connection, and the number of rows it returned or changed."""

    conn: object
    query: object
    rows: int


def record_statements(monkeypatch: pytest.MonkeyPatch) -> list[Statement]:
    """Record the statements of the main thread, and return the list to which they are appended.

    Other threads are ignored, because connection pools maintain their connections in them.
    """
    sent: list[Statement] = []
    execute = psycopg.Cursor.execute

    def record(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        result = execute(self, query, *args, **kwargs)
        # A pool sends an empty query to check whether an idle connection still works.
        if query and current_thread() is main_thread():
            sent.append(Statement(self.connection, query, max(self.rowcount, 0)))
        return result

    monkeypatch.setattr(psycopg.Cursor, "execute", record)
    return sent
