"""Further occurrences of names that were found in the text with high confidence."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from docyard.facts.entities.spans import NamedSpan

_KINDS = ("person", "organisation", "place")
_MIN_CONFIDENCE = 0.8
_MIN_CHARS = 4
_CONFIDENCE_FACTOR = 0.9  # for a repetition
# A single word next to a capitalised word is skipped, because it may be part of a longer name.
_CAPITAL_BEFORE = re.compile(r"(?:[A-Z][\w'’.-]*|&)\s$|-$")
_CAPITAL_AFTER = re.compile(r"\s(?:[A-Z]|&)|-\w")
_LOWER_CASE_WORD = re.compile(r"\b[a-z]+\b")
_WORD = re.compile(r"\w+(?:[-'’.]\w+)*")


def find_repeats(text: str, found: Sequence[NamedSpan]) -> Iterator[NamedSpan]:
    """Yield further occurrences of names found with high confidence, and of the last names of people."""
    known = _choose_names(text, found)
    if not known:
        return
    pattern = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, sorted(known, key=len, reverse=True))) + r")(?!\w)")
    for match in pattern.finditer(text):
        if " " not in match[0] and _CAPITAL_BEFORE.search(text[max(0, match.start() - 30) : match.start()]):
            continue
        if " " not in match[0] and _CAPITAL_AFTER.match(text, match.end()):
            continue
        kind, normal, confidence = known[match[0]]
        yield NamedSpan(kind, match.start(), match.end(), normal, round(confidence * _CONFIDENCE_FACTOR, 3), "model")


def _choose_names(text: str, found: Sequence[NamedSpan]) -> dict[str, tuple[str, str, float]]:
    """Return the names to search for, each with its kind, normal form and confidence."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    best: dict[tuple[str, str], NamedSpan] = {}
    for each in found:
        if each.kind not in _KINDS:
            continue
        for name in _list_variants(text[each.start : each.end], each.kind):
            votes[name][each.kind] += 1
            previous = best.get((name, each.kind))
            if previous is None or previous.confidence < each.confidence:
                best[name, each.kind] = each
    known, common = {}, set(_LOWER_CASE_WORD.findall(text))
    for name, counts in votes.items():
        if name.lower() in common:
            continue  # "Borrower" is not a name if the text also has "borrower"
        (kind, count), *others = counts.most_common(2)
        each = best[name, kind]
        if each.confidence >= _MIN_CONFIDENCE and not (others and others[0][1] * 2 >= count):
            known[name] = (kind, each.normal, each.confidence)
    return known


def _list_variants(name: str, kind: str) -> Iterator[str]:
    if len(name) >= _MIN_CHARS and name[:1].isupper() and "\n" not in name:
        yield name
    words = _WORD.findall(name)
    if kind == "person" and len(words) > 1 and len(words[-1]) >= _MIN_CHARS and words[-1][0].isupper():
        yield words[-1]
