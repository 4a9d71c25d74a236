"""Things named in one sentence: equipment and its fault, and, last, that they stand beside each other."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from docyard.facts.relations.typed import key_of
from docyard.model.facts import Canonical, EntityKey, Relation, Span
from docyard.model.text.pages import Page

_END = re.compile(r"(?<=[.!?;])\s+(?=[^\W\d_a-z]|[\"“„(])|\n\s*\n")
_ACTING = frozenset(("person", "organisation", "court", "equipment", "part"))
_TELLING = _ACTING | frozenset(("place", "email", "phone", "iban", "vat_number"))
_MOST_TOGETHER = 8  # a sentence that names more is a list
_MOST = 150
_SURE = 0.3  # standing together says little


def beside(known: Sequence[Canonical], pages: Sequence[Page]) -> Iterator[Relation]:
    """Faults of equipment in the same sentence, then each other pair once, where it first stands together."""
    together = list(_sentences(known, pages))
    for found in together:
        yield from _faults(found)
    seen: set[frozenset[EntityKey]] = set()
    for found in together:
        telling = {key_of(each): each for each in reversed(found) if each.mention.kind in _TELLING}
        if len(telling) > _MOST_TOGETHER:
            continue
        for one, other in combinations(sorted(telling), 2):
            # Two places or numbers in one line say nothing of each other.
            telling_pair = one.kind in _ACTING or other.kind in _ACTING
            if telling_pair and frozenset((one, other)) not in seen and len(seen) < _MOST:
                seen.add(frozenset((one, other)))
                yield _pair(telling[one], telling[other])


def _sentences(known: Sequence[Canonical], pages: Sequence[Page]) -> Iterator[list[Canonical]]:
    by_page: dict[int, list[Canonical]] = defaultdict(list)
    for each in known:
        if each.key:
            by_page[each.mention.span.page].append(each)
    for page in pages:
        if len(by_page[page.number]) < 2:
            continue
        ends = [match.end() for match in _END.finditer(page.text)]
        groups: dict[int, list[Canonical]] = defaultdict(list)
        for each in sorted(by_page[page.number], key=lambda one: one.mention.span):
            groups[bisect_right(ends, each.mention.span.start)].append(each)
        yield from (groups[at] for at in sorted(groups) if len(groups[at]) > 1)


def _faults(found: Sequence[Canonical]) -> Iterator[Relation]:
    things = [each for each in found if each.mention.kind in ("equipment", "part")]
    for fault in (each for each in found if each.mention.kind == "fault"):
        if things:
            thing = min(things, key=lambda one: abs(one.mention.span.start - fault.mention.span.start))
            sure = 0.8 * min(thing.mention.confidence, fault.mention.confidence)
            yield Relation("has_fault", key_of(thing), key_of(fault), _whole(thing, fault), sure)


def _pair(one: Canonical, other: Canonical) -> Relation:
    sure = _SURE * min(one.mention.confidence, other.mention.confidence)
    return Relation("mentioned_with", key_of(one), key_of(other), _whole(one, other), sure)


def _whole(one: Canonical, other: Canonical) -> Span:
    """From the first of both to the end of the last."""
    spans = one.mention.span, other.mention.span
    return Span(spans[0].page, min(s.start for s in spans), max(s.end for s in spans))
