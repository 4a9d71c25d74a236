"""Secrets of an installation, made once and kept where only its user can read them."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from docyard.settings import Settings
from docyard.store.sealing import Seal

_FILE = "secret.key"


def seal_of(settings: Settings) -> Seal:
    """What closes and opens the keys of connections: DOCYARD_SECRET_KEY, or a secret of this home's own."""
    given = [secret.strip() for secret in settings.secret_key.split(",") if secret.strip()]
    own = settings.home / _FILE
    # What was sealed before a secret was given still opens.
    return Seal([*given, kept_secret(own)] if own.exists() or not given else given)


def kept_secret(path: Path) -> str:
    """The secret in this file, made when first asked for."""
    if not path.exists() or not path.read_text():  # a power cut can leave it empty
        path.unlink(missing_ok=True)
        _write(path, secrets.token_urlsafe(24))
    return path.read_text()


def _write(path: Path, secret: str) -> None:
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(secret)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(aside, path)  # whoever comes first wins; the other reads the winner's
    except FileExistsError:
        pass
    finally:
        aside.unlink()
