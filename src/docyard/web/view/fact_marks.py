"""Marks of facts on a page."""

from __future__ import annotations

from docyard.model.entities import MentionView
from docyard.model.facts import Span, StoredField
from docyard.web.view import fact_labels
from docyard.web.view.document_facts import Facts
from docyard.web.view.highlights import Mark
from docyard.web.view.page_links import PageLinks, PageRequest


def fact_marks(facts: Facts, page_request: PageRequest, to: PageLinks) -> list[Mark]:
    """Return the marks of the requested page; rejected facts are not marked."""
    if page_request.plain:
        return []
    chosen = {each.id for each in facts.chosen}
    shown = [each for each in facts.on_page if each.state != "rejected"]
    mentions = [_mention_mark(each, facts, to, chosen=each.id in chosen) for each in shown]
    taken = {(each.start, each.end) for each in shown}
    fields = [
        _field_mark(field, field.span, number)
        for several in facts.fields.values()
        for number, field in enumerate(several)
        if field.span
        and field.state != "rejected"
        and field.span.page == page_request.number
        and field.span[1:] not in taken
    ]
    return mentions + fields


def _mention_mark(mention: MentionView, facts: Facts, to: PageLinks, *, chosen: bool) -> Mark:
    name = mention.entity_name or mention.normal or mention.text
    parts = [f"{fact_labels.label(mention.kind)}: {name}", *_field_labels(mention, facts)]
    parts += [fact_labels.confidence_label(mention.confidence), fact_labels.state_label(mention.state).lower()]
    classes = f"thing {mention.kind} {mention.state}" + (" chosen" if chosen else "")
    key = str(mention.entity_id or f"{mention.kind} {mention.normal}")
    return Mark(mention.start, mention.end, " · ".join(parts), to.thing(mention.id), classes, key)


def _field_labels(mention: MentionView, facts: Facts) -> list[str]:
    """Return the labels of fields with the same span."""
    span = (mention.page, mention.start, mention.end)
    names = [name for name, several in facts.fields.items() if any(_is_at(each, span) for each in several)]
    return [f"field {fact_labels.label(name)}" for name in names]


def _is_at(field: StoredField, span: tuple[int, int, int]) -> bool:
    return field.span == span and field.state != "rejected"


def _field_mark(field: StoredField, span: Span, number: int) -> Mark:
    parts = (
        f"{fact_labels.label(field.name)}: {field.normal or field.value}",
        fact_labels.confidence_label(field.confidence),
        fact_labels.state_label(field.state).lower(),
    )
    anchor = f"field-{field.name}-{number}"
    return Mark(span.start, span.end, " · ".join(parts), f"#{anchor}", "field", anchor)
