"""Identifiers that this process creates or parses; ids of rows are created by the database."""

from __future__ import annotations

import secrets
import uuid


def new_worker_id() -> uuid.UUID:
    """Return a random worker id, so that every start of a worker has its own identity."""
    return uuid.uuid4()


def new_token() -> str:
    """Return a random secret that is safe in a URL or a cookie."""
    return secrets.token_urlsafe(32)


def parse_id(text: str) -> uuid.UUID | None:
    """Return the text as a UUID, or None if it is not one."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
