"""What the words before an amount say that it is: the total, the tax, the change given back …"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from docyard.facts.notation.letters import fold_letters

_FILE = Path(__file__).with_name("labels.toml")
# What a scanner takes for a letter inside a word.
_LOOKALIKES = str.maketrans({"0": "o", "1": "l", "5": "s", "|": "l", "!": "l"})
_MIXED = re.compile(r"\b(?=\w*[a-z])[\w|!]*[015|!][\w|!]*\b")


_RULES = tuple(
    (str(rule["role"]), float(rule["weight"]), re.compile("|".join(rule["words"])))
    for rule in tomllib.loads(_FILE.read_text())["rule"]
)


def fold(text: str) -> str:
    """A label in small letters without accents, figures inside words read as the letters they look like."""
    return _MIXED.sub(lambda found: found[0].translate(_LOOKALIKES), fold_letters(text))


def unfolded(text: str, end: int) -> int:
    """Where in a text stands what is at this place once it is folded, which may be longer."""
    return next((at for at in range(len(text) + 1) if len(fold(text[:at])) >= end), len(text))


def role_of(label: str) -> tuple[str, float]:
    """The role of an amount by the words before it, and how much they say for it."""
    folded = fold(label)
    for role, weight, pattern in _RULES:
        if pattern.search(folded):
            return role, weight
    return "other", 0.0
