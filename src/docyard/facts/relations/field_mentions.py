"""Mentions that only a field knows of, such as a seller that no reader of names took for one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from docyard.facts.resolution.keys import entity_key, legal_form
from docyard.model.facts import Canonical, FieldValue, Mention, Span
from docyard.model.text.pages import Page

# What a field names; its first kind is taken where nothing else is known of the place.
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
_OF_ORGANISATIONS = re.compile(
    r"(?i)&|\b(?:of|the|and|for|agency|associat\w+|authority|bank|board|bureau|chapel|church|city|club|college"
    r"|commission|committee|commonwealth|company|council|county|court|department|district|estate|federation"
    r"|foundation|fund|government|group|holdings|hospital|industries|insurance|international|ministry|national"
    r"|office|partners|partnership|people|plan|police|school|services?|society|states?|systems|technologies"
    r"|trust|union|united|university)\b"
)
_PERSONAL = re.compile(r"[^\W\d_][\w.'’-]*(?:,? [^\W\d_][\w.'’-]*){1,3}")
_NEARLY_ALL = 0.8
_LONGEST = 160  # a longer text is a description, not a name


def named_by_fields(
    fields: Iterable[FieldValue], known: Sequence[Canonical], pages: Sequence[Page]
) -> tuple[Canonical, ...]:
    """One for each field that names a thing where no mention of such a thing stands."""
    return tuple({made.mention.span: made for made in _made(fields, known, pages)}.values())


def _made(
    fields: Iterable[FieldValue], known: Sequence[Canonical], pages: Sequence[Page]
) -> Iterator[Canonical]:
    texts = {page.number: page.text for page in pages}
    for field in fields:
        kinds = FIELD_KINDS.get(field.name, ())
        span = place_of(field, texts) if kinds else None
        if span is None or span.end - span.start > _LONGEST or best_within(span, known, kinds):
            continue
        text = texts[span.page][span.start : span.end]
        kind = "person" if field.name == "party" and _is_personal(text) else kinds[0]
        mention = Mention(kind, span, text, field.normal or text, field.confidence, field.source)
        if key := entity_key(mention.kind, mention.normal):
            yield Canonical(mention, key, field.name)


def place_of(field: FieldValue, texts: dict[int, str]) -> Span | None:
    """Where a field stands; one from beside the text stands where the text says the same, if it does."""
    if field.span is not None:
        return field.span if field.span.start < field.span.end and field.span.page in texts else None
    for number, text in texts.items():
        at = text.find(field.value) if field.value.strip() else -1
        if at >= 0:
            return Span(number, at, at + len(field.value))
    return None


def _is_personal(name: str) -> bool:
    """Whether a party looks like a person: two to four words, and nothing that organisations are called."""
    return bool(_PERSONAL.fullmatch(name)) and not _OF_ORGANISATIONS.search(name) and not legal_form(name)


def best_within(span: Span, known: Iterable[Canonical], kinds: Sequence[str]) -> Canonical | None:
    """The mention that stands for most of this place, if it stands for nearly all of it."""
    found = max(within(span, known, kinds), key=lambda each: _overlap(span, each.mention.span), default=None)
    if found is None or _overlap(span, found.mention.span) < _NEARLY_ALL * (span.end - span.start):
        return None
    return found


def _overlap(one: Span, other: Span) -> int:
    return min(one.end, other.end) - max(one.start, other.start)


def within(span: Span, known: Iterable[Canonical], kinds: Sequence[str]) -> list[Canonical]:
    """The mentions of these kinds that stand at this place."""
    return [
        each
        for each in known
        if each.mention.kind in kinds
        and each.key
        and each.mention.span.page == span.page
        and each.mention.span.start < span.end
        and span.start < each.mention.span.end
    ]
