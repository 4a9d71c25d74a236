"""Relations shown by fields and by the kinds of mentions: issuer, parties, citations, correspondents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from docyard.facts.relations.field_mentions import FIELD_KINDS, find_best_mention, find_mentions_in, locate_field
from docyard.model.facts import CanonicalMention, EntityKey, FieldValue, Relation
from docyard.model.text.pages import Page

# The relation between the entity that a field names and the document.
_RELATION_BY_FIELD = {
    "seller": "issued",
    "buyer": "billed_in",
    "party": "party_to",
    "court": "court_of",
    "judge": "judge_of",
    "docket": "docket_of",
    "technician": "worked_on",
}
_CITED_KINDS = ("citation", "statute")
_CORRESPONDENT_KINDS = ("email", "person", "organisation")
_MAX_CITED, _MAX_RECIPIENTS = 500, 100


def find_typed_relations(
    kind: str | None, fields: Sequence[FieldValue], known: Sequence[CanonicalMention], pages: Sequence[Page]
) -> Iterator[Relation]:
    """Yield the relations that fields and citations show; the same relation may occur more than once."""
    texts = {page.number: page.text for page in pages}
    yield from _relate_fields(fields, known, texts)
    yield from _relate_citations(known)
    if kind == "email":
        yield from _relate_correspondents(fields, known, texts)
    yield from _relate_faults(fields, known, texts)


def get_entity_key(canonical: CanonicalMention) -> EntityKey:
    """Return the key of the entity that a mention names."""
    return EntityKey(canonical.mention.kind, canonical.key)


def _find_entities(
    fields: Iterable[FieldValue],
    known: Sequence[CanonicalMention],
    texts: dict[int, str],
    names: Sequence[str],
    kinds: Sequence[str],
) -> Iterator[tuple[FieldValue, CanonicalMention]]:
    """Yield each pair of a field with one of these names and a mention of these kinds that overlaps it."""
    for field in fields:
        span = locate_field(field, texts) if field.name in names else None
        for canonical in find_mentions_in(span, known, kinds) if span else ():
            yield field, canonical


def _relate_fields(
    fields: Sequence[FieldValue], known: Sequence[CanonicalMention], texts: dict[int, str]
) -> Iterator[Relation]:
    for field in fields:
        relation = _RELATION_BY_FIELD.get(field.name)
        span = locate_field(field, texts) if relation else None
        canonical = find_best_mention(span, known, FIELD_KINDS[field.name]) if span else None
        if relation and canonical:
            confidence = min(field.confidence, canonical.mention.confidence)
            yield Relation(relation, get_entity_key(canonical), None, canonical.mention.span, confidence)


def _relate_citations(known: Iterable[CanonicalMention]) -> Iterator[Relation]:
    """Yield one relation for each cited authority, at its first citation."""
    first: dict[EntityKey, CanonicalMention] = {}
    for each in known:
        if each.mention.kind in _CITED_KINDS and each.key:
            first.setdefault(get_entity_key(each), each)
    for key, each in list(first.items())[:_MAX_CITED]:
        yield Relation("cited_in", key, None, each.mention.span, each.mention.confidence)


def _relate_correspondents(
    fields: Sequence[FieldValue], known: Sequence[CanonicalMention], texts: dict[int, str]
) -> Iterator[Relation]:
    senders = _choose_correspondents(
        [entity for _, entity in _find_entities(fields, known, texts, ("from",), _CORRESPONDENT_KINDS)]
    )
    recipients = _choose_correspondents(
        [entity for _, entity in _find_entities(fields, known, texts, ("to", "cc"), _CORRESPONDENT_KINDS)], every=True
    )
    for sender in senders:
        for recipient in recipients[:_MAX_RECIPIENTS]:
            if get_entity_key(sender) != get_entity_key(recipient):
                confidence = min(sender.mention.confidence, recipient.mention.confidence)
                yield Relation(
                    "sent_to", get_entity_key(sender), get_entity_key(recipient), recipient.mention.span, confidence
                )


def _choose_correspondents(entities: list[CanonicalMention], *, every: bool = False) -> list[CanonicalMention]:
    """Return the e-mail addresses, else people, else organisations; only the first unless `every` is set."""
    chosen: list[CanonicalMention] = next(
        filter(None, ([one for one in entities if one.mention.kind == kind] for kind in _CORRESPONDENT_KINDS)), []
    )
    return chosen if every else chosen[:1]


def _relate_faults(
    fields: Sequence[FieldValue], known: Sequence[CanonicalMention], texts: dict[int, str]
) -> Iterator[Relation]:
    equipment = [entity for _, entity in _find_entities(fields, known, texts, ("equipment",), ("equipment", "part"))]
    for field, fault in _find_entities(fields, known, texts, ("fault",), ("fault",)):
        for faulty in equipment[:1]:
            yield Relation(
                "has_fault", get_entity_key(faulty), get_entity_key(fault), fault.mention.span, field.confidence
            )
