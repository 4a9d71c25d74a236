"""The one error of the embedded server; its words tell a person what to do."""

from __future__ import annotations

from docyard.errors import DocyardError


class EmbeddedServerError(DocyardError):
    """The embedded PostgreSQL cannot be used."""
