"""The error of the embedded server, with a message for users."""

from __future__ import annotations

from docyard.errors import DocyardError


class EmbeddedServerError(DocyardError):
    """The embedded PostgreSQL cannot be used."""
