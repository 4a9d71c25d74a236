"""Relations between entities in the same sentence: faults of equipment, and co-mentions."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from docyard.facts.relations.typed_relations import get_entity_key
from docyard.model.facts import CanonicalMention, EntityKey, Relation, Span
from docyard.model.text.pages import Page

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+(?=[^\W\d_a-z]|[\"“„(])|\n\s*\n")
_ACTOR_KINDS = frozenset(("person", "organisation", "court", "equipment", "part"))
_RELATED_KINDS = _ACTOR_KINDS | frozenset(("place", "email", "phone", "iban", "vat_number"))
_MAX_PER_SENTENCE = 8  # a sentence with more entities is skipped, because it is a list
_MAX_PAIRS = 150
_CONFIDENCE_FACTOR = 0.3  # a co-mention is weak evidence


def find_co_mentions(known: Sequence[CanonicalMention], pages: Sequence[Page]) -> Iterator[Relation]:
    """Yield faults of equipment, then each co-mentioned pair once, at its first co-mention."""
    sentences = list(_group_by_sentence(known, pages))
    for mentions in sentences:
        yield from _find_faults(mentions)
    seen: set[frozenset[EntityKey]] = set()
    for mentions in sentences:
        entities = {get_entity_key(each): each for each in reversed(mentions) if each.mention.kind in _RELATED_KINDS}
        if len(entities) > _MAX_PER_SENTENCE:
            continue
        for one, other in combinations(sorted(entities), 2):
            # At least one must be an actor, because two places or numbers in a sentence need not be related.
            has_actor = one.kind in _ACTOR_KINDS or other.kind in _ACTOR_KINDS
            if has_actor and frozenset((one, other)) not in seen and len(seen) < _MAX_PAIRS:
                seen.add(frozenset((one, other)))
                yield _make_pair(entities[one], entities[other])


def _group_by_sentence(known: Sequence[CanonicalMention], pages: Sequence[Page]) -> Iterator[list[CanonicalMention]]:
    by_page: dict[int, list[CanonicalMention]] = defaultdict(list)
    for each in known:
        if each.key:
            by_page[each.mention.span.page].append(each)
    for page in pages:
        if len(by_page[page.number]) < 2:
            continue
        ends = [match.end() for match in _SENTENCE_END.finditer(page.text)]
        groups: dict[int, list[CanonicalMention]] = defaultdict(list)
        for each in sorted(by_page[page.number], key=lambda one: one.mention.span):
            groups[bisect_right(ends, each.mention.span.start)].append(each)
        yield from (groups[sentence] for sentence in sorted(groups) if len(groups[sentence]) > 1)


def _find_faults(mentions: Sequence[CanonicalMention]) -> Iterator[Relation]:
    equipment = [each for each in mentions if each.mention.kind in ("equipment", "part")]
    for fault in (each for each in mentions if each.mention.kind == "fault"):
        if equipment:
            nearest = min(equipment, key=lambda one: abs(one.mention.span.start - fault.mention.span.start))
            confidence = 0.8 * min(nearest.mention.confidence, fault.mention.confidence)
            yield Relation(
                "has_fault", get_entity_key(nearest), get_entity_key(fault), _cover(nearest, fault), confidence
            )


def _make_pair(one: CanonicalMention, other: CanonicalMention) -> Relation:
    confidence = _CONFIDENCE_FACTOR * min(one.mention.confidence, other.mention.confidence)
    return Relation("mentioned_with", get_entity_key(one), get_entity_key(other), _cover(one, other), confidence)


def _cover(one: CanonicalMention, other: CanonicalMention) -> Span:
    """Return the span from the start of the first mention to the end of the last."""
    spans = one.mention.span, other.mention.span
    return Span(spans[0].page, min(s.start for s in spans), max(s.end for s in spans))
