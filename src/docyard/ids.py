"""Identifiers: those this process makes, and those it is given as text; rows get theirs from the database."""

from __future__ import annotations

import secrets
import uuid


def new_worker_id() -> uuid.UUID:
    """A worker id is new at every boot: a host name would give two boots one identity."""
    return uuid.uuid4()


def new_token() -> str:
    """A secret that can stand in a link or a cookie."""
    return secrets.token_urlsafe(32)


def parse_id(text: str) -> uuid.UUID | None:
    """The id that a text is; None where it is none."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
