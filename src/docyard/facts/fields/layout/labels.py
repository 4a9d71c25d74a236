"""Roles of amounts by the words before them: total, tax, change and others."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from docyard.facts.notation.letters import fold_letters

_FILE = Path(__file__).with_name("labels.toml")
# Characters that OCR reads instead of a letter inside a word.
_LOOKALIKES = str.maketrans({"0": "o", "1": "l", "5": "s", "|": "l", "!": "l"})
_WORD_WITH_LOOKALIKE = re.compile(r"\b(?=\w*[a-z])[\w|!]*[015|!][\w|!]*\b")


_RULES = tuple(
    (str(rule["role"]), float(rule["weight"]), re.compile("|".join(rule["words"])))
    for rule in tomllib.loads(_FILE.read_text())["rule"]
)


def fold_label(text: str) -> str:
    """Return a label in lower case without accents; 0, 1, 5, | and ! inside words become similar letters."""
    return _WORD_WITH_LOOKALIKE.sub(lambda match: match[0].translate(_LOOKALIKES), fold_letters(text))


def unfold_offset(text: str, folded_offset: int) -> int:
    """Return the offset in a text that corresponds to an offset in its folded form, which may be longer."""
    return next(
        (offset for offset in range(len(text) + 1) if len(fold_label(text[:offset])) >= folded_offset), len(text)
    )


def classify_label(label: str) -> tuple[str, float]:
    """Return the role that a label indicates and the weight of the rule; "other" and 0 if no rule matches."""
    folded = fold_label(label)
    for role, weight, pattern in _RULES:
        if pattern.search(folded):
            return role, weight
    return "other", 0.0
