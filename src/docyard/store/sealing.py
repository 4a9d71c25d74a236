"""Sealing keys: what the database holds opens only with a secret that is kept outside of it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

from docyard.errors import Setup

SHORTEST_SECRET = 16


class CannotOpen(Setup):
    """This key was sealed with another secret; give that one, too, in DOCYARD_SECRET_KEY."""


class Seal:
    """Closes with the first secret and opens with any of them, so that a secret can be replaced."""

    def __init__(self, secrets: Sequence[str]) -> None:
        if not secrets or any(len(secret) < SHORTEST_SECRET for secret in secrets):
            raise Setup(f"A secret in DOCYARD_SECRET_KEY has at least {SHORTEST_SECRET} characters.")
        from cryptography.fernet import Fernet, MultiFernet

        self._fernet = MultiFernet([Fernet(_key(secret)) for secret in secrets])

    def __repr__(self) -> str:
        return "Seal()"

    def close(self, text: str) -> bytes:
        """The text, readable to nobody without the secret."""
        return self._fernet.encrypt(text.encode())

    def open(self, sealed: bytes) -> str:
        """The text that was closed with one of the secrets."""
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet.decrypt(sealed).decode()
        except InvalidToken:
            raise CannotOpen from None


def _key(secret: str) -> bytes:
    # Secrets are random and long, so one hash is enough to give them the form that is needed.
    return base64.urlsafe_b64encode(hashlib.sha256(secret.encode()).digest())
