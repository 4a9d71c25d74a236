"""Relations that a field or the kind of a mention tells: who issued, what is cited, who wrote to whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from docyard.facts.relations.field_mentions import FIELD_KINDS, best_within, place_of, within
from docyard.model.facts import Canonical, EntityKey, FieldValue, Relation
from docyard.model.text.pages import Page

# What the thing that a field names is to the document.
_OF_FIELD = {
    "seller": "issued",
    "buyer": "billed_in",
    "party": "party_to",
    "court": "court_of",
    "judge": "judge_of",
    "docket": "docket_of",
    "technician": "worked_on",
}
_CITED = ("citation", "statute")
_ADDRESSES = ("email", "person", "organisation")
_MOST_CITED, _MOST_SENT = 500, 100


def typed(
    kind: str | None, fields: Sequence[FieldValue], known: Sequence[Canonical], pages: Sequence[Page]
) -> Iterator[Relation]:
    """Every relation that has a type of its own, each once for the same two ends."""
    texts = {page.number: page.text for page in pages}
    yield from _of_fields(fields, known, texts)
    yield from _cited(known)
    if kind == "email":
        yield from _sent(fields, known, texts)
    yield from _faults(fields, known, texts)


def key_of(canonical: Canonical) -> EntityKey:
    """The entity that a mention names."""
    return EntityKey(canonical.mention.kind, canonical.key)


def _at(
    fields: Iterable[FieldValue],
    known: Sequence[Canonical],
    texts: dict[int, str],
    names: Sequence[str],
    kinds: Sequence[str],
) -> Iterator[tuple[FieldValue, Canonical]]:
    """The entities that fields of these names name."""
    for field in fields:
        span = place_of(field, texts) if field.name in names else None
        for canonical in within(span, known, kinds) if span else ():
            yield field, canonical


def _of_fields(
    fields: Sequence[FieldValue], known: Sequence[Canonical], texts: dict[int, str]
) -> Iterator[Relation]:
    for field in fields:
        relation = _OF_FIELD.get(field.name)
        span = place_of(field, texts) if relation else None
        canonical = best_within(span, known, FIELD_KINDS[field.name]) if span else None
        if relation and canonical:
            sure = min(field.confidence, canonical.mention.confidence)
            yield Relation(relation, key_of(canonical), None, canonical.mention.span, sure)


def _cited(known: Iterable[Canonical]) -> Iterator[Relation]:
    """Each authority once, where it is first cited."""
    first: dict[EntityKey, Canonical] = {}
    for each in known:
        if each.mention.kind in _CITED and each.key:
            first.setdefault(key_of(each), each)
    for key, each in list(first.items())[:_MOST_CITED]:
        yield Relation("cited_in", key, None, each.mention.span, each.mention.confidence)


def _sent(
    fields: Sequence[FieldValue], known: Sequence[Canonical], texts: dict[int, str]
) -> Iterator[Relation]:
    senders = _best([found for _, found in _at(fields, known, texts, ("from",), _ADDRESSES)])
    receivers = _best([found for _, found in _at(fields, known, texts, ("to", "cc"), _ADDRESSES)], each=True)
    for sender in senders:
        for receiver in receivers[:_MOST_SENT]:
            if key_of(sender) != key_of(receiver):
                sure = min(sender.mention.confidence, receiver.mention.confidence)
                yield Relation("sent_to", key_of(sender), key_of(receiver), receiver.mention.span, sure)


def _best(found: list[Canonical], *, each: bool = False) -> list[Canonical]:
    """Addresses, or names where there is no address; one, or each of them."""
    chosen: list[Canonical] = next(
        filter(None, ([one for one in found if one.mention.kind == kind] for kind in _ADDRESSES)), []
    )
    return chosen if each else chosen[:1]


def _faults(
    fields: Sequence[FieldValue], known: Sequence[Canonical], texts: dict[int, str]
) -> Iterator[Relation]:
    equipment = [one for _, one in _at(fields, known, texts, ("equipment",), ("equipment", "part"))]
    for field, fault in _at(fields, known, texts, ("fault",), ("fault",)):
        for thing in equipment[:1]:
            yield Relation("has_fault", key_of(thing), key_of(fault), fault.mention.span, field.confidence)
