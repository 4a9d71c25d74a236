"""The blocks a name stands in: names that are one, however they are written, have at least one in common.

What is frequent makes large blocks, which say little and cost much; so most of them take two words together.
"""

from __future__ import annotations

import re

_IDLE = frozenset(
    [
        "of",
        "and",
        "the",
        "for",
        "de",
        "la",
        "le",
        "du",
        "des",
        "der",
        "die",
        "das",
        "und",
        "von",
        "van",
        "di",
        "da",
        "del",
        "et",
        "y",
    ]
)
_MOST_WORDS = 6
_END = 4  # letters at either end of a word: one slip leaves one of the two as it was
_NEIGHBOUR = 3
_RUN = 8
_SOUND = 10
# One sound for what is heard alike or written alike in another alphabet's letters.
_SOUNDS = (
    (re.compile(r"t?sch|tch|ch|sh|kh"), "k"),
    (re.compile(r"ph|pf"), "f"),
    (re.compile(r"th|dt|d"), "t"),
    (re.compile(r"ck|qu|[cqgx]"), "k"),
    (re.compile(r"ts|tz|[zs]"), "s"),
    (re.compile(r"[wv]"), "f"),
    (re.compile(r"b"), "p"),
    (re.compile(r"[aeiouyhj]"), ""),
    (re.compile(r"(.)\1+"), r"\1"),
)


def blocks(kind: str, key: str) -> list[str]:
    """What this name has in common with others that may be the same, each once and in order."""
    words = [word for word in key.split() if word not in _IDLE][:_MOST_WORDS] or key.split()
    run = "".join(words)
    found = [f"={word}" for word in words if len(word) > 2]
    for word, after in zip(words, words[1:] + words[:1], strict=True):
        beside = after[:_NEIGHBOUR] if len(words) > 1 else ""
        if len(word) >= _END:
            found += [f"<{word[:_END]} {beside}", f">{word[-_END:]} {beside}"]
    found += [
        f"[{run[:_RUN]}",
        f"]{run[-_RUN:]}",
        f"~{sound(run)[:_SOUND]}",
        f"%{sound(''.join(sorted(words)))}",
    ]
    found += _initials(key) if kind != "person" else [f"^{words[0][:1]} {words[-1]}"]
    return list(dict.fromkeys(found))


def sound(run: str) -> str:
    """How letters sound, without vowels: the same for "mueller" and "muller", nearly so for any slip."""
    for pattern, instead in _SOUNDS:
        run = pattern.sub(instead, run)
    return run


def _initials(key: str) -> list[str]:
    """An acronym and what it may stand for, with and without the words that acronyms pass over."""
    words = key.split()
    if len(words) == 1:
        return [f"@{key}"] if 3 <= len(key) <= 8 else []
    told = [word for word in words if word not in _IDLE]
    return ["@" + "".join(word[0] for word in each) for each in (words, told) if len(each) > 2]
