"""Document types, with their descriptions and the phrases that indicate them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from docyard.facts.notation.mail_headers import HEADER_LABEL
from docyard.model.document_types import WorkspaceTypes

_FILE = Path(__file__).with_name("types.toml")


@dataclass(frozen=True, slots=True)
class DocumentType:
    """A type with its name, a description for semantic comparison, and weighted phrases."""

    name: str
    description: str
    phrases: tuple[tuple[float, str], ...] = ()
    formats: tuple[str, ...] = ()
    titles: str = ""  # pattern of its title; counts only near the beginning
    against: tuple[tuple[float, str], ...] = ()  # phrases of similar documents of other types
    patterns: tuple[tuple[float, re.Pattern[str]], ...] = field(init=False, repr=False, compare=False)
    contrary_patterns: tuple[tuple[float, re.Pattern[str]], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "patterns", _compile(self.phrases))
        object.__setattr__(self, "contrary_patterns", _compile(self.against))


def _compile(phrases: tuple[tuple[float, str], ...]) -> tuple[tuple[float, re.Pattern[str]], ...]:
    flags = re.IGNORECASE | re.MULTILINE
    return tuple((weight, re.compile(pattern, flags)) for weight, pattern in phrases)


def make_custom_type(name: str, description: str, key_phrases: Sequence[str] = ()) -> DocumentType:
    """Return a custom type of a workspace.

    Its name, its key phrases and the quoted parts of its description count as phrases, matched literally.
    """
    name_pattern = re.escape(name.replace("_", " "))
    quoted = re.findall(r'["“”]([^"“”]{3,60})["“”]', description)
    phrases = (
        (2.0, rf"\b{name_pattern}s?\b"),
        *((2.0, _make_literal_pattern(phrase)) for phrase in key_phrases),
        *((1.5, _make_literal_pattern(phrase)) for phrase in quoted),
    )
    return DocumentType(name, f"{name.replace('_', ' ')}: {description}", phrases, titles=name_pattern)


def _make_literal_pattern(phrase: str) -> str:
    """Return a pattern for exactly these words, also across a line break."""
    words = r"\s{1,9}".join(map(re.escape, phrase.split()))
    return rf"(?<!\w){words}(?!\w)"


@lru_cache(maxsize=64)
def list_types(known: WorkspaceTypes) -> tuple[DocumentType, ...]:
    """Return the default and custom types of a workspace that are not switched off."""
    custom = (make_custom_type(each.name, each.description, each.phrases) for each in known.own)
    return tuple(each for each in (*DEFAULT_TYPES, *custom) if each.name not in known.off)


def describe_types(known: WorkspaceTypes) -> list[dict[str, Any]]:
    """Return all types of a workspace with their descriptions, including those switched off."""
    custom_names = {each.name: each for each in known.own}
    defaults = [(each.name, each.description, ()) for each in DEFAULT_TYPES]
    custom = [(each.name, each.description, each.phrases) for each in known.own]
    return [
        {
            "name": name,
            "description": description,
            "phrases": list(phrases),
            "own": name in custom_names,
            "on": name not in known.off,
        }
        for name, description, phrases in (*defaults, *custom)
    ]


def _read_type(entry: dict[str, Any]) -> DocumentType:
    return DocumentType(
        entry["name"],
        entry["description"],
        _read_phrases(entry.get("phrases", ())),
        tuple(entry.get("formats", ())),
        entry.get("titles", ""),
        _read_phrases(entry.get("against", ())),
    )


def _read_phrases(entries: Sequence[Sequence[Any]]) -> tuple[tuple[float, str], ...]:
    return tuple((float(weight), _fill_placeholders(pattern)) for weight, pattern in entries)


def _fill_placeholders(pattern: str) -> str:
    """Replace the placeholder `{mail_header}` with a pattern for the labels of mail headers."""
    return pattern.replace("{mail_header}", HEADER_LABEL)


DEFAULT_TYPES: tuple[DocumentType, ...] = tuple(map(_read_type, tomllib.loads(_FILE.read_text())["type"]))
