"""The types a document can be of: what each is, and the phrases that speak for it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from docyard.facts.notation.mail_headers import HEADER_LABEL
from docyard.model.document_types import KnownTypes

_FILE = Path(__file__).with_name("types.toml")


@dataclass(frozen=True, slots=True)
class DocumentType:
    """A type by its name, a description to compare a text's meaning with, and weighted phrases."""

    name: str
    description: str
    phrases: tuple[tuple[float, str], ...] = ()
    formats: tuple[str, ...] = ()
    titles: str = ""  # what its title says, as a pattern; counts only near the beginning
    against: tuple[tuple[float, str], ...] = ()  # phrases of what is taken for it, and is not
    patterns: tuple[tuple[float, re.Pattern[str]], ...] = field(init=False, repr=False, compare=False)
    doubts: tuple[tuple[float, re.Pattern[str]], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "patterns", _compiled(self.phrases))
        object.__setattr__(self, "doubts", _compiled(self.against))


def _compiled(phrases: tuple[tuple[float, str], ...]) -> tuple[tuple[float, re.Pattern[str]], ...]:
    flags = re.IGNORECASE | re.MULTILINE
    return tuple((weight, re.compile(pattern, flags)) for weight, pattern in phrases)


def described(name: str, words: str, key_phrases: Sequence[str] = ()) -> DocumentType:
    """A type that a workspace adds: what it is in words, and phrases that count as they stand, as do its"
    " name and what is quoted."""
    own = re.escape(name.replace("_", " "))
    quoted = re.findall(r'["“”]([^"“”]{3,60})["“”]', words)
    phrases = (
        (2.0, rf"\b{own}s?\b"),
        *((2.0, _as_it_stands(phrase)) for phrase in key_phrases),
        *((1.5, _as_it_stands(phrase)) for phrase in quoted),
    )
    return DocumentType(name, f"{name.replace('_', ' ')}: {words}", phrases, titles=own)


def _as_it_stands(phrase: str) -> str:
    """A pattern of these words, over the end of a line too."""
    words = r"\s{1,9}".join(map(re.escape, phrase.split()))
    return rf"(?<!\w){words}(?!\w)"


@lru_cache(maxsize=64)
def types_of(known: KnownTypes) -> tuple[DocumentType, ...]:
    """The types that documents of a workspace can be of."""
    own = (described(each.name, each.description, each.phrases) for each in known.own)
    return tuple(each for each in (*DEFAULT_TYPES, *own) if each.name not in known.off)


def described_types(known: KnownTypes) -> list[dict[str, Any]]:
    """Every type with its description, also those switched off, for people to choose among."""
    own = {each.name: each for each in known.own}
    ours = [(each.name, each.description, ()) for each in DEFAULT_TYPES]
    theirs = [(each.name, each.description, each.phrases) for each in known.own]
    return [
        {
            "name": name,
            "description": description,
            "phrases": list(phrases),
            "own": name in own,
            "on": name not in known.off,
        }
        for name, description, phrases in (*ours, *theirs)
    ]


def _read(entry: dict[str, Any]) -> DocumentType:
    return DocumentType(
        entry["name"],
        entry["description"],
        _phrases(entry.get("phrases", ())),
        tuple(entry.get("formats", ())),
        entry.get("titles", ""),
        _phrases(entry.get("against", ())),
    )


def _phrases(entries: Sequence[Sequence[Any]]) -> tuple[tuple[float, str], ...]:
    return tuple((float(weight), _with_notation(pattern)) for weight, pattern in entries)


def _with_notation(pattern: str) -> str:
    """Put in the words that a notation has for a placeholder."""
    return pattern.replace("{mail_header}", HEADER_LABEL)


DEFAULT_TYPES: tuple[DocumentType, ...] = tuple(map(_read, tomllib.loads(_FILE.read_text())["type"]))
