"""The types a document can be of: what each is, and the phrases that speak for it."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("types.toml")


@dataclass(frozen=True, slots=True)
class DocumentType:
    """A type by its name, a description to compare a text's meaning with, and weighted phrases."""

    name: str
    description: str
    phrases: tuple[tuple[float, str], ...] = ()
    formats: tuple[str, ...] = ()
    titles: str = ""  # what its title says, as a pattern; counts only near the beginning
    patterns: tuple[tuple[float, re.Pattern[str]], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        flags = re.IGNORECASE | re.MULTILINE
        made = tuple((weight, re.compile(pattern, flags)) for weight, pattern in self.phrases)
        object.__setattr__(self, "patterns", made)


def described(name: str, words: str) -> DocumentType:
    """A type that a workspace adds: what it is in words; its name and phrases in quotes count as they"
    " stand."""
    own = re.escape(name.replace("_", " "))
    quoted = re.findall(r'["“”]([^"“”]{3,60})["“”]', words)
    phrases = ((2.0, rf"\b{own}s?\b"), *((1.5, rf"\b{re.escape(phrase)}\b") for phrase in quoted))
    return DocumentType(name, f"{name.replace('_', ' ')}: {words}", phrases, titles=own)


def _read(entry: dict[str, Any]) -> DocumentType:
    phrases = tuple((float(weight), str(pattern)) for weight, pattern in entry.get("phrases", ()))
    return DocumentType(
        entry["name"], entry["description"], phrases, tuple(entry.get("formats", ())), entry.get("titles", "")
    )


DEFAULT_TYPES: tuple[DocumentType, ...] = tuple(map(_read, tomllib.loads(_FILE.read_text())["type"]))
