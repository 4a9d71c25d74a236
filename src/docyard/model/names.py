"""File and folder names from users, made safe to display; they are never used as a path or a key."""

from __future__ import annotations

import re
import unicodedata

from docyard.errors import BadInput

_MAX_FOLDER_LENGTH = 200
_HIDDEN_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def clean_name(raw: str, limit_bytes: int) -> str:
    """Return the last part of a path without invisible characters, cut to `limit_bytes`.

    An extension of at most 20 bytes is kept.
    """
    last = re.split(r"[/\\]", raw)[-1]
    visible = "".join(c for c in last if unicodedata.category(c) not in _HIDDEN_CATEGORIES)
    return _shorten(visible.strip().strip(". "), limit_bytes) or "unnamed"


def normalise_folder_name(raw: str) -> str:
    """Return the folder name with white space normalised; raise BadInput if it is not valid."""
    name = " ".join(raw.split())
    if not 1 <= len(name) <= _MAX_FOLDER_LENGTH:
        raise BadInput(f"The name of a folder must have 1 to {_MAX_FOLDER_LENGTH} characters.")
    if any(unicodedata.category(c) in _HIDDEN_CATEGORIES for c in name):
        raise BadInput("The name of a folder must not contain invisible characters.")
    return name


def _shorten(name: str, limit_bytes: int) -> str:
    if len(name.encode()) <= limit_bytes:
        return name
    stem, dot, extension = name.rpartition(".")
    if not stem or len(extension.encode()) > 20:
        return _truncate(name, limit_bytes)
    return _truncate(stem, limit_bytes - len((dot + extension).encode())) + dot + extension


def _truncate(text: str, limit_bytes: int) -> str:
    return text.encode()[:limit_bytes].decode(errors="ignore")
