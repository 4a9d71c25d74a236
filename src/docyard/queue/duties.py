"""The duties of upkeep and how they go."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from docyard.db import Connection, Queries

_SQL = Queries("docyard.queue", "duties.sql")


@dataclass(frozen=True, slots=True)
class DutyLine:
    """One duty as an operator sees it."""

    duty: str
    began_at: datetime | None
    seconds: float
    said: str | None
    error: str | None
    failed_at: datetime | None
    age: float


def duty_lines(conn: Connection) -> list[DutyLine]:
    """Every duty that was ever begun."""
    return [DutyLine(**row) for row in conn.execute(_SQL["duty_lines"])]
