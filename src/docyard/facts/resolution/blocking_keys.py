"""Blocking keys for entity resolution: spellings of one name share at least one key.

A key of one frequent word matches many names. This is slow and proves little, so most keys combine words.
"""

from __future__ import annotations

import re

_FUNCTION_WORDS = frozenset(
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
_MAX_WORDS = 6
_END_CHARS = 4  # characters at each end of a word; after one typo, one of the ends is unchanged
_NEIGHBOUR_CHARS = 3
_RUN_CHARS = 8
_SOUND_CHARS = 10
# One code for letters that sound alike or are transliterated alike.
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


def make_blocking_keys(kind: str, key: str) -> list[str]:
    """Return the blocking keys of a name, without duplicates; names that may be the same share a key."""
    words = [word for word in key.split() if word not in _FUNCTION_WORDS][:_MAX_WORDS] or key.split()
    run = "".join(words)
    found = [f"={word}" for word in words if len(word) > 2]
    for word, following in zip(words, words[1:] + words[:1], strict=True):
        neighbour = following[:_NEIGHBOUR_CHARS] if len(words) > 1 else ""
        if len(word) >= _END_CHARS:
            found += [f"<{word[:_END_CHARS]} {neighbour}", f">{word[-_END_CHARS:]} {neighbour}"]
    found += [
        f"[{run[:_RUN_CHARS]}",
        f"]{run[-_RUN_CHARS:]}",
        f"~{encode_sound(run)[:_SOUND_CHARS]}",
        f"%{encode_sound(''.join(sorted(words)))}",
    ]
    found += _make_initials(key) if kind != "person" else [f"^{words[0][:1]} {words[-1]}"]
    return list(dict.fromkeys(found))


def encode_sound(name: str) -> str:
    """Return a phonetic code without vowels: the same for "mueller" and "muller", similar after a typo."""
    for pattern, replacement in _SOUNDS:
        name = pattern.sub(replacement, name)
    return name


def _make_initials(key: str) -> list[str]:
    """Return blocking keys for acronyms: a short word itself, or the initials of a name of several words."""
    words = key.split()
    if len(words) == 1:
        return [f"@{key}"] if 3 <= len(key) <= 8 else []
    content_words = [word for word in words if word not in _FUNCTION_WORDS]
    return ["@" + "".join(word[0] for word in each) for each in (words, content_words) if len(each) > 2]
