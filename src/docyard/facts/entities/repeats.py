"""Names that a text says again: what it says once in a clear place, it means elsewhere too."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from docyard.facts.entities.spans import Found

_KINDS = ("person", "organisation", "place")
_SURE = 0.8
_SHORTEST = 4
_LESS = 0.9  # how much less sure a repetition is
# A single word beside another capital may be part of a longer name.
_CAPITAL_BESIDE = re.compile(r"(?:[A-Z][\w'’.-]*|&)\s$|-$")
_CAPITAL_NEXT = re.compile(r"\s(?:[A-Z]|&)|-\w")
_LOWER = re.compile(r"\b[a-z]+\b")
_WORD = re.compile(r"\w+(?:[-'’.]\w+)*")


def repeats(text: str, found: Sequence[Found]) -> Iterator[Found]:
    """Further places of surely found names, and of the last names of people."""
    known = _known(text, found)
    if not known:
        return
    pattern = re.compile(
        r"(?<!\w)(?:" + "|".join(map(re.escape, sorted(known, key=len, reverse=True))) + r")(?!\w)"
    )
    for match in pattern.finditer(text):
        if " " not in match[0] and _CAPITAL_BESIDE.search(text[max(0, match.start() - 30) : match.start()]):
            continue
        if " " not in match[0] and _CAPITAL_NEXT.match(text, match.end()):
            continue
        kind, normal, confidence = known[match[0]]
        yield Found(kind, match.start(), match.end(), normal, round(confidence * _LESS, 3), "model")


def _known(text: str, found: Sequence[Found]) -> dict[str, tuple[str, str, float]]:
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    best: dict[tuple[str, str], Found] = {}
    for each in found:
        if each.kind not in _KINDS:
            continue
        for name in _names(text[each.start : each.end], each.kind):
            votes[name][each.kind] += 1
            before = best.get((name, each.kind))
            if before is None or before.confidence < each.confidence:
                best[name, each.kind] = each
    known, common = {}, set(_LOWER.findall(text))
    for name, counted in votes.items():
        if name.lower() in common:
            continue  # "Borrower" beside "borrower" is a word, not a name
        (kind, most), *others = counted.most_common(2)
        each = best[name, kind]
        if each.confidence >= _SURE and not (others and others[0][1] * 2 >= most):
            known[name] = (kind, each.normal, each.confidence)
    return known


def _names(written: str, kind: str) -> Iterator[str]:
    if len(written) >= _SHORTEST and written[:1].isupper() and "\n" not in written:
        yield written
    words = _WORD.findall(written)
    if kind == "person" and len(words) > 1 and len(words[-1]) >= _SHORTEST and words[-1][0].isupper():
        yield words[-1]
