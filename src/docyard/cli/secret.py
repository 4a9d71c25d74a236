"""Secrets of an installation, generated once and stored in files that only their owner can read."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from docyard.settings import Settings
from docyard.store.key_encryption import KeyCipher

_FILE_NAME = "secret.key"


def load_seal(settings: Settings) -> KeyCipher:
    """Return the cipher for API keys, with the secrets of DOCYARD_SECRET_KEY and any generated secret.

    Without DOCYARD_SECRET_KEY, a secret is generated in HOME if there is none yet.
    """
    configured = [secret.strip() for secret in settings.secret_key.split(",") if secret.strip()]
    generated = settings.home / _FILE_NAME
    # The generated secret can still decrypt API keys that were stored before DOCYARD_SECRET_KEY was set.
    return KeyCipher(
        [*configured, load_or_create_secret(generated)] if generated.exists() or not configured else configured
    )


def load_or_create_secret(path: Path) -> str:
    """Return the secret in a file; generate it first if the file is missing or empty."""
    if not path.exists() or not path.read_text():  # a power failure can leave it empty
        path.unlink(missing_ok=True)
        _create(path, secrets.token_urlsafe(24))
    return path.read_text()


def _create(path: Path, secret: str) -> None:
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secret)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(temporary, path)  # the first process wins; the others read its secret
    except FileExistsError:
        pass
    finally:
        temporary.unlink()
