"""Facts as marks on the page that tells them."""

from __future__ import annotations

from docyard.model.entities import PlacedMention
from docyard.model.facts import KeptField, Span
from docyard.web.view import fact_words
from docyard.web.view.document_facts import Facts
from docyard.web.view.highlights import Mark
from docyard.web.view.page_params import Addresses, Look


def marks(facts: Facts, look: Look, to: Addresses) -> list[Mark]:
    """What the page that is looked at tells; what people rejected is not marked."""
    if look.plain:
        return []
    chosen = {each.id for each in facts.chosen}
    shown = [each for each in facts.on_page if each.state != "rejected"]
    things = [_thing_mark(each, facts, to, chosen=each.id in chosen) for each in shown]
    taken = {(each.start, each.end) for each in shown}
    fields = [
        _field_mark(field, field.span, number)
        for several in facts.fields.values()
        for number, field in enumerate(several)
        if field.span
        and field.state != "rejected"
        and field.span.page == look.number
        and field.span[1:] not in taken
    ]
    return things + fields


def _thing_mark(mention: PlacedMention, facts: Facts, to: Addresses, *, chosen: bool) -> Mark:
    named = mention.entity_name or mention.normal or mention.text
    said = [f"{fact_words.named(mention.kind)}: {named}", *_roles(mention, facts)]
    said += [fact_words.sure(mention.confidence), fact_words.state(mention.state).lower()]
    look = f"thing {mention.kind} {mention.state}" + (" chosen" if chosen else "")
    key = str(mention.entity_id or f"{mention.kind} {mention.normal}")
    return Mark(mention.start, mention.end, " · ".join(said), to.thing(mention.id), look, key)


def _roles(mention: PlacedMention, facts: Facts) -> list[str]:
    """The fields that stand at the same place."""
    here = (mention.page, mention.start, mention.end)
    names = [name for name, several in facts.fields.items() if any(_stands(each, here) for each in several)]
    return [f"field {fact_words.named(name)}" for name in names]


def _stands(field: KeptField, here: tuple[int, int, int]) -> bool:
    return field.span == here and field.state != "rejected"


def _field_mark(field: KeptField, span: Span, number: int) -> Mark:
    said = (
        f"{fact_words.named(field.name)}: {field.normal or field.value}",
        fact_words.sure(field.confidence),
        fact_words.state(field.state).lower(),
    )
    anchor = f"field-{field.name}-{number}"
    return Mark(span.start, span.end, " · ".join(said), f"#{anchor}", "field", anchor)
