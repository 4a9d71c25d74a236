"""Mentions made from fields, such as a seller that neither the rules nor the tagger found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from docyard.facts.resolution.keys import find_legal_form, make_entity_key
from docyard.model.facts import CanonicalMention, FieldValue, Mention, Span
from docyard.model.text.pages import Page

# Kinds of entities that a field can name; the first is the default for a new mention.
FIELD_KINDS: dict[str, tuple[str, ...]] = {
    "seller": ("organisation", "person"),
    "buyer": ("organisation", "person"),
    "party": ("organisation", "person"),
    "court": ("court",),
    "judge": ("person",),
    "docket": ("case_number",),
    "iban": ("iban",),
    "seller_vat": ("vat_number",),
    "equipment": ("equipment", "part"),
    "fault": ("fault",),
    "technician": ("person",),
}
_ORGANISATION_WORD = re.compile(
    r"(?i)&|\b(?:of|the|and|for|agency|associat\w+|authority|bank|board|bureau|chapel|church|city|club|college"
    r"|commission|committee|commonwealth|company|council|county|court|department|district|estate|federation"
    r"|foundation|fund|government|group|holdings|hospital|industries|insurance|international|ministry|national"
    r"|office|partners|partnership|people|plan|police|school|services?|society|states?|systems|technologies"
    r"|trust|union|united|university)\b"
)
_PERSON_NAME = re.compile(r"[^\W\d_][\w.'’-]*(?:,? [^\W\d_][\w.'’-]*){1,3}")
_MIN_COVERAGE = 0.8
_MAX_CHARS = 160  # longer texts are descriptions, not names


def make_field_mentions(
    fields: Iterable[FieldValue], known: Sequence[CanonicalMention], pages: Sequence[Page]
) -> tuple[CanonicalMention, ...]:
    """Return a mention for each field that names an entity, unless a known mention covers its span."""
    return tuple({canonical.mention.span: canonical for canonical in _make_mentions(fields, known, pages)}.values())


def _make_mentions(
    fields: Iterable[FieldValue], known: Sequence[CanonicalMention], pages: Sequence[Page]
) -> Iterator[CanonicalMention]:
    texts = {page.number: page.text for page in pages}
    for field in fields:
        kinds = FIELD_KINDS.get(field.name, ())
        span = locate_field(field, texts) if kinds else None
        if span is None or span.end - span.start > _MAX_CHARS or find_best_mention(span, known, kinds):
            continue
        text = texts[span.page][span.start : span.end]
        kind = "person" if field.name == "party" and _looks_like_person(text) else kinds[0]
        mention = Mention(kind, span, text, field.normal or text, field.confidence, field.source)
        if key := make_entity_key(mention.kind, mention.normal):
            yield CanonicalMention(mention, key, field.name)


def locate_field(field: FieldValue, texts: dict[int, str]) -> Span | None:
    """Return the span of a field; if it has none, the first occurrence of its value in the text, or None."""
    if field.span is not None:
        return field.span if field.span.start < field.span.end and field.span.page in texts else None
    for number, text in texts.items():
        offset = text.find(field.value) if field.value.strip() else -1
        if offset >= 0:
            return Span(number, offset, offset + len(field.value))
    return None


def _looks_like_person(name: str) -> bool:
    """Return whether a party looks like a person: two to four words, none typical of organisations."""
    return bool(_PERSON_NAME.fullmatch(name)) and not _ORGANISATION_WORD.search(name) and not find_legal_form(name)


def find_best_mention(span: Span, known: Iterable[CanonicalMention], kinds: Sequence[str]) -> CanonicalMention | None:
    """Return the mention of these kinds with the largest overlap, if it covers most of the span."""
    found = max(
        find_mentions_in(span, known, kinds), key=lambda each: _measure_overlap(span, each.mention.span), default=None
    )
    if found is None or _measure_overlap(span, found.mention.span) < _MIN_COVERAGE * (span.end - span.start):
        return None
    return found


def _measure_overlap(one: Span, other: Span) -> int:
    return min(one.end, other.end) - max(one.start, other.start)


def find_mentions_in(span: Span, known: Iterable[CanonicalMention], kinds: Sequence[str]) -> list[CanonicalMention]:
    """Return the mentions of these kinds that overlap this span."""
    return [
        each
        for each in known
        if each.mention.kind in kinds
        and each.key
        and each.mention.span.page == span.page
        and each.mention.span.start < span.end
        and span.start < each.mention.span.end
    ]
