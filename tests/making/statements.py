"""What a test sends to the database: each statement, on which connection, and how many rows came back."""

from __future__ import annotations

from threading import current_thread, main_thread
from typing import Any, NamedTuple

import psycopg
import pytest


class Statement(NamedTuple):
    """One statement that was sent."""

    conn: object
    query: object
    rows: int


def noted(monkeypatch: pytest.MonkeyPatch) -> list[Statement]:
    """Statements of this thread from here on; pools look after their connections in threads of their own."""
    sent: list[Statement] = []
    execute = psycopg.Cursor.execute

    def note(self: Any, query: Any, *given: Any, **named: Any) -> Any:
        answer = execute(self, query, *given, **named)
        # A pool asks nothing to find out whether a connection that was left alone is broken.
        if query and current_thread() is main_thread():
            sent.append(Statement(self.connection, query, max(self.rowcount, 0)))
        return answer

    monkeypatch.setattr(psycopg.Cursor, "execute", note)
    return sent
