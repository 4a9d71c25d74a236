"""Mentions that only a field knows of, such as a seller that no reader of names took for one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from docyard.engines.canonical import entity_key
from docyard.model.facts import Canonical, FieldValue, Mention, Span
from docyard.model.pages import Page

# What a field names; its first kind is taken where nothing else is known of the place.
FIELD_KINDS: dict[str, tuple[str, ...]] = {
    "seller": ("organisation", "person"),
    "buyer": ("organisation", "person"),
    "party": ("organisation", "person"),
    "court": ("court",),
    "judge": ("person",),
    "docket": ("case_number",),
    "iban": ("iban",),
    "equipment": ("equipment", "part"),
    "fault": ("fault",),
    "technician": ("person",),
}
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
        if span is None or span.end - span.start > _LONGEST or within(span, known, kinds):
            continue
        text = texts[span.page][span.start : span.end]
        mention = Mention(kinds[0], span, text, field.normal or text, field.confidence, field.source)
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
