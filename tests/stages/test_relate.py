"""The stages canonicalise and relate: keys of entities, and relations between them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from docyard.model.facts import CanonicalMention, FieldValue, Mention, Relation, Span
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import (
    CanonicalMentions,
    Classification,
    DocumentFields,
    DocumentMentions,
    DocumentRelations,
    ExtractedText,
)
from docyard.model.stages import StageInput
from docyard.model.text.pages import Page
from docyard.stages import canonicalise, relate


def mention(kind: str, text: str, page: Page, nth: int = 0) -> Mention:
    """Return a mention of the nth occurrence of this text on a page."""
    offset = -1
    for _ in range(nth + 1):
        offset = page.text.index(text, offset + 1)
    return Mention(kind, Span(page.number, offset, offset + len(text)), text, text, 0.9, "rule")


def canonical(*mentions: Mention) -> tuple[CanonicalMention, ...]:
    value = canonicalise.run(StageInput([DocumentMentions(mentions)], Limits()))
    assert isinstance(value, CanonicalMentions)
    return value.mentions


def field(name: str, text: str, page: Page, *, located: bool = True) -> FieldValue:
    return FieldValue(name, text, text, 0.8, "rule", mention("x", text, page).span if located else None)


def run_relate(page: Page, kind: str, fields: list[FieldValue], *mentions: Mention) -> DocumentRelations:
    values: list[StageValue] = [ExtractedText((page,)), Classification("T", "en", kind), DocumentFields(tuple(fields))]
    value = relate.run(StageInput([*values, CanonicalMentions(canonical(*mentions))], Limits()))
    assert isinstance(value, DocumentRelations)
    return value


def list_relations(value: DocumentRelations) -> list[tuple[str, str, str | None]]:
    return [(each.type, each.source.key, each.target.key if each.target else None) for each in value.relations]


def get_text(page: Page, relation: Relation) -> str:
    return page.text[relation.span.start : relation.span.end]


def test_every_mention_gets_the_key_of_its_entity() -> None:
    page = Page(1, "Acme, Inc. paid EUR 5 to ann@acme.com. ACME INC agreed.")
    found = canonical(
        mention("organisation", "Acme, Inc.", page),
        mention("money", "EUR 5", page),
        mention("email", "ann@acme.com", page),
        mention("organisation", "ACME INC", page),
    )
    assert [each.key for each in found] == ["acme", "", "ann@acme.com", "acme"]


def test_legal_forms_separate_organisations_of_the_same_name() -> None:
    page = Page(1, "Acme Inc. owns Acme LLC. Acme is old. Bolt GmbH is not. Acme Incorporated too.")
    found = canonical(
        *(mention("organisation", name, page) for name in ("Acme Inc.", "Acme LLC", "Bolt GmbH", "Acme Incorporated")),
        mention("organisation", "Acme", page, 2),
    )
    assert [each.key for each in found] == ["acme inc", "acme llc", "bolt", "acme inc", "acme"]


def test_the_seller_issued_the_invoice_even_if_only_the_field_names_it() -> None:
    page = Page(1, "INVOICE\nCorner Shop\nTotal 5.00")
    value = run_relate(page, "invoice", [field("seller", "Corner Shop", page)])
    assert list_relations(value) == [("issued", "corner shop", None)]
    assert get_text(page, value.relations[0]) == "Corner Shop"
    (added,) = value.mentions
    assert (added.mention.kind, added.field, added.key) == ("organisation", "seller", "corner shop")
    known = run_relate(
        page, "invoice", [field("seller", "Corner Shop", page)], mention("organisation", "Corner Shop", page)
    )
    assert (list_relations(known), known.mentions) == (list_relations(value), ())
    without_span = run_relate(page, "invoice", [field("seller", "Corner Shop", page, located=False)])
    assert without_span.mentions == value.mentions


def test_a_field_takes_precedence_over_a_partial_mention() -> None:
    page = Page(1, "Calvary Chapel of Bangor v. Janet T. Mills")
    fields = [field("party", "Calvary Chapel of Bangor", page), field("party", "Janet T. Mills", page)]
    value = run_relate(page, "court_opinion", fields, mention("organisation", "Chapel", page))
    assert list_relations(value)[:2] == [
        ("party_to", "calvary chapel of bangor", None),
        ("party_to", "janet t mills", None),
    ]
    assert [each.mention.kind for each in value.mentions] == ["organisation", "person"]


def test_a_field_that_is_not_in_the_text_adds_no_mention() -> None:
    page = Page(1, "INVOICE")
    nowhere = FieldValue("seller", "Corner Shop", "Corner Shop", 1.0, "xml")
    assert run_relate(page, "invoice", [nowhere]) == DocumentRelations(())


def test_relates_parties_and_citations_to_a_contract() -> None:
    page = Page(1, "Between Acme Inc. and Ann Lee.\n\nSee 410 U.S. 113 and 410 U.S. 113.")
    value = run_relate(
        page,
        "contract",
        [field("party", "Acme Inc.", page), field("party", "Ann Lee", page)],
        mention("organisation", "Acme Inc.", page),
        mention("person", "Ann Lee", page),
        mention("citation", "410 U.S. 113", page, 0),
        mention("citation", "410 U.S. 113", page, 1),
    )
    assert list_relations(value) == [
        ("party_to", "acme", None),
        ("party_to", "ann lee", None),
        ("cited_in", "410 us 113", None),
        ("mentioned_with", "acme", "ann lee"),
    ]
    assert get_text(page, value.relations[-1]) == "Acme Inc. and Ann Lee"


def test_relates_the_sender_of_a_message_to_each_recipient() -> None:
    page = Page(1, "From: Ann <ann@a.org>\nTo: bob@b.org, cat@c.org\n\nHello")
    headers = [field("from", "Ann <ann@a.org>", page), field("to", "bob@b.org, cat@c.org", page)]
    names = [mention("email", each, page) for each in ("ann@a.org", "bob@b.org", "cat@c.org")]
    sent = [line for line in list_relations(run_relate(page, "email", headers, *names)) if line[0] == "sent_to"]
    assert sent == [("sent_to", "ann@a.org", "bob@b.org"), ("sent_to", "ann@a.org", "cat@c.org")]
    assert not [line for line in list_relations(run_relate(page, "letter", headers, *names)) if line[0] == "sent_to"]


def test_relates_a_fault_to_the_nearest_equipment_in_its_sentence() -> None:
    page = Page(1, "Pump 3 runs, but valve 7 leaks. The fan is fine.")
    names = [
        mention("equipment", "Pump 3", page),
        mention("equipment", "valve 7", page),
        mention("fault", "leaks", page),
        mention("equipment", "fan", page),
    ]
    value = run_relate(page, "report", [], *names)
    assert list_relations(value)[0] == ("has_fault", "valve 7", "leaks")
    assert ("has_fault", "fan", "leaks") not in list_relations(value)
    assert ("mentioned_with", "pump 3", "valve 7") in list_relations(value)


def test_relates_contact_details_and_places_only_to_people_and_organisations() -> None:
    page = Page(1, "Write to a@b.org or c@d.org in Oslo.\n\nAnn Lee has a@b.org in Bergen")
    names = [mention("email", text, page) for text in ("a@b.org", "c@d.org")]
    names += [mention("place", text, page) for text in ("Oslo", "Bergen")]
    names += [mention("email", "a@b.org", page, 1), mention("person", "Ann Lee", page)]
    assert list_relations(run_relate(page, "letter", [], *names)) == [
        ("mentioned_with", "a@b.org", "ann lee"),
        ("mentioned_with", "ann lee", "bergen"),
    ]


def test_limits_the_number_of_co_mentions() -> None:
    names = [f"Name{n} Inc" for n in range(60)]
    page = Page(1, ". ".join(f"{one} met {other}" for one in names[:30] for other in names[30:]))
    mentions = [
        Mention("organisation", Span(1, at, at + len(name)), name, name, 0.9, "rule")
        for name in names
        for at in range(len(page.text))
        if page.text.startswith(name, at) and not page.text[at + len(name) :][:1].isalnum()
    ]
    value = run_relate(page, "report", [], *mentions)
    assert len(value.relations) == 150
    list_page = Page(1, " ".join(names))
    assert (
        run_relate(list_page, "report", [], *(mention("organisation", name, list_page) for name in names)).relations
        == ()
    )


@given(st.lists(st.sampled_from(["Ann Lee", "Acme Inc.", "leaks", "pump", "\n\n", ". ", " and "]), max_size=20))
def test_the_span_of_a_relation_covers_both_entities(parts: list[str]) -> None:
    check_evidence(parts)


def test_the_span_of_a_co_mention_covers_both_entities() -> None:
    assert check_evidence(["Ann Lee", " and ", "Acme Inc.", ". "]) == 1


def check_evidence(parts: list[str]) -> int:
    """Check that the span of every relation contains both entities; return the number of relations."""
    kinds = {"Ann Lee": "person", "Acme Inc.": "organisation", "leaks": "fault", "pump": "equipment"}
    page = Page(1, "".join(parts))
    mentions, offset = [], 0
    for part in parts:
        if part in kinds:
            mentions.append(Mention(kinds[part], Span(1, offset, offset + len(part)), part, part, 0.9, "rule"))
        offset += len(part)
    texts = {("person", "ann lee"): "Ann Lee", ("organisation", "acme"): "Acme Inc."}
    texts |= {("fault", "leaks"): "leaks", ("equipment", "pump"): "pump"}
    found = run_relate(page, "report", [], *mentions).relations
    for each in found:
        assert each.target
        for end in (each.source, each.target):
            assert texts[end] in get_text(page, each)
    return len(found)
