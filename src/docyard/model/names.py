"""Names people gave, made safe to show; a name never becomes a path or a key."""

from __future__ import annotations

import re
import unicodedata

from docyard.errors import BadInput

_LONGEST_FOLDER = 200
_UNSHOWABLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def clean_name(raw: str, limit_bytes: int) -> str:
    """The last part of the name without control characters, at most so many bytes, its extension kept."""
    last = re.split(r"[/\\]", raw)[-1]
    shown = "".join(c for c in last if unicodedata.category(c) not in _UNSHOWABLE).strip().strip(". ")
    return _shorten(shown, limit_bytes) or "unnamed"


def folder_name(raw: str) -> str:
    """The name of a folder in one line; BadInput where it cannot be one."""
    name = " ".join(raw.split())
    if not 1 <= len(name) <= _LONGEST_FOLDER:
        raise BadInput(f"The name of a folder has between 1 and {_LONGEST_FOLDER} letters.")
    if any(unicodedata.category(c) in _UNSHOWABLE for c in name):
        raise BadInput("The name of a folder cannot hold characters that nobody can see.")
    return name


def _shorten(name: str, limit_bytes: int) -> str:
    if len(name.encode()) <= limit_bytes:
        return name
    stem, dot, extension = name.rpartition(".")
    if not stem or len(extension.encode()) > 20:
        return _cut(name, limit_bytes)
    return _cut(stem, limit_bytes - len((dot + extension).encode())) + dot + extension


def _cut(text: str, limit_bytes: int) -> str:
    return text.encode()[:limit_bytes].decode(errors="ignore")
