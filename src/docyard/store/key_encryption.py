"""Encryption of API keys with a secret that is stored outside the database."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

from docyard.errors import SetupError

MIN_SECRET_LENGTH = 16


class DecryptionFailed(SetupError):
    """This API key was encrypted with another secret; add that secret to DOCYARD_SECRET_KEY."""


class KeyCipher:
    """A cipher that encrypts with the first secret and decrypts with any of them, to allow key rotation."""

    def __init__(self, secrets: Sequence[str]) -> None:
        if not secrets or any(len(secret) < MIN_SECRET_LENGTH for secret in secrets):
            raise SetupError(f"A secret in DOCYARD_SECRET_KEY must have at least {MIN_SECRET_LENGTH} characters.")
        from cryptography.fernet import Fernet, MultiFernet

        self._fernet = MultiFernet([Fernet(_derive_key(secret)) for secret in secrets])

    def __repr__(self) -> str:
        return "KeyCipher()"

    def encrypt(self, text: str) -> bytes:
        """Encrypt a text with the first secret."""
        return self._fernet.encrypt(text.encode())

    def decrypt(self, sealed: bytes) -> str:
        """Decrypt a text; raise DecryptionFailed if no secret matches."""
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet.decrypt(sealed).decode()
        except InvalidToken:
            raise DecryptionFailed from None


def _derive_key(secret: str) -> bytes:
    # Secrets are expected to be random, so a single hash suffices to derive a key of the required length.
    return base64.urlsafe_b64encode(hashlib.sha256(secret.encode()).digest())
