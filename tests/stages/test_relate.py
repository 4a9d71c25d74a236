"""Canonicalise and relate: which entity a mention names, and how entities relate, by which place."""

from __future__ import annotations

from hypothesis import given as given_any
from hypothesis import strategies as st

from docyard.model.facts import Canonical, FieldValue, Mention, Relation, Span
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue
from docyard.model.stages import Given
from docyard.model.text.pages import Page
from docyard.model.values import Canonicalised, Classified, Extracted, Fielded, Mentioned, Related
from docyard.stages import canonicalise, relate


def mention(kind: str, text: str, page: Page, nth: int = 0) -> Mention:
    """The nth place of a page where this text stands."""
    at = -1
    for _ in range(nth + 1):
        at = page.text.index(text, at + 1)
    return Mention(kind, Span(page.number, at, at + len(text)), text, text, 0.9, "rule")


def canonical(*mentions: Mention) -> tuple[Canonical, ...]:
    value = canonicalise.run(Given([Mentioned(mentions)], Limits()))
    assert isinstance(value, Canonicalised)
    return value.mentions


def field(name: str, text: str, page: Page, *, placed: bool = True) -> FieldValue:
    return FieldValue(name, text, text, 0.8, "rule", mention("x", text, page).span if placed else None)


def related(page: Page, kind: str, fields: list[FieldValue], *mentions: Mention) -> Related:
    values: list[StageValue] = [Extracted((page,)), Classified("T", "en", kind), Fielded(tuple(fields))]
    value = relate.run(Given([*values, Canonicalised(canonical(*mentions))], Limits()))
    assert isinstance(value, Related)
    return value


def told(value: Related) -> list[tuple[str, str, str | None]]:
    return [
        (each.type, each.source.key, each.target.key if each.target else None) for each in value.relations
    ]


def said(page: Page, relation: Relation) -> str:
    return page.text[relation.span.start : relation.span.end]


def test_every_mention_keeps_its_place_and_gets_its_key() -> None:
    page = Page(1, "Acme, Inc. paid EUR 5 to ann@acme.com. ACME INC agreed.")
    found = canonical(
        mention("organisation", "Acme, Inc.", page),
        mention("money", "EUR 5", page),
        mention("email", "ann@acme.com", page),
        mention("organisation", "ACME INC", page),
    )
    assert [each.key for each in found] == ["acme", "", "ann@acme.com", "acme"]


def test_legal_forms_count_where_a_document_tells_two_apart_by_them() -> None:
    page = Page(1, "Acme Inc. owns Acme LLC. Acme is old. Bolt GmbH is not. Acme Incorporated too.")
    found = canonical(
        *(
            mention("organisation", name, page)
            for name in ("Acme Inc.", "Acme LLC", "Bolt GmbH", "Acme Incorporated")
        ),
        mention("organisation", "Acme", page, 2),
    )
    assert [each.key for each in found] == ["acme inc", "acme llc", "bolt", "acme inc", "acme"]


def test_an_invoice_is_issued_by_its_seller_also_where_only_the_field_knows_it() -> None:
    page = Page(1, "INVOICE\nCorner Shop\nTotal 5.00")
    value = related(page, "invoice", [field("seller", "Corner Shop", page)])
    assert told(value) == [("issued", "corner shop", None)]
    assert said(page, value.relations[0]) == "Corner Shop"
    (added,) = value.mentions
    assert (added.mention.kind, added.field, added.key) == ("organisation", "seller", "corner shop")
    known = related(
        page, "invoice", [field("seller", "Corner Shop", page)], mention("organisation", "Corner Shop", page)
    )
    assert (told(known), known.mentions) == (told(value), ())
    beside_text = related(page, "invoice", [field("seller", "Corner Shop", page, placed=False)])
    assert beside_text.mentions == value.mentions


def test_a_field_knows_more_than_a_mention_of_a_part_of_it() -> None:
    page = Page(1, "Calvary Chapel of Bangor v. Janet T. Mills")
    fields = [field("party", "Calvary Chapel of Bangor", page), field("party", "Janet T. Mills", page)]
    value = related(page, "court_opinion", fields, mention("organisation", "Chapel", page))
    assert told(value)[:2] == [
        ("party_to", "calvary chapel of bangor", None),
        ("party_to", "janet t mills", None),
    ]
    assert [each.mention.kind for each in value.mentions] == ["organisation", "person"]


def test_a_field_that_stands_nowhere_names_nothing() -> None:
    page = Page(1, "INVOICE")
    nowhere = FieldValue("seller", "Corner Shop", "Corner Shop", 1.0, "xml")
    assert related(page, "invoice", [nowhere]) == Related(())


def test_parties_are_party_to_the_contract_and_authorities_are_cited_in_it() -> None:
    page = Page(1, "Between Acme Inc. and Ann Lee.\n\nSee 410 U.S. 113 and 410 U.S. 113.")
    value = related(
        page,
        "contract",
        [field("party", "Acme Inc.", page), field("party", "Ann Lee", page)],
        mention("organisation", "Acme Inc.", page),
        mention("person", "Ann Lee", page),
        mention("citation", "410 U.S. 113", page, 0),
        mention("citation", "410 U.S. 113", page, 1),
    )
    assert told(value) == [
        ("party_to", "acme", None),
        ("party_to", "ann lee", None),
        ("cited_in", "410 us 113", None),
        ("mentioned_with", "acme", "ann lee"),
    ]
    assert said(page, value.relations[-1]) == "Acme Inc. and Ann Lee"


def test_a_message_goes_from_its_sender_to_each_receiver() -> None:
    page = Page(1, "From: Ann <ann@a.org>\nTo: bob@b.org, cat@c.org\n\nHello")
    head = [field("from", "Ann <ann@a.org>", page), field("to", "bob@b.org, cat@c.org", page)]
    names = [mention("email", each, page) for each in ("ann@a.org", "bob@b.org", "cat@c.org")]
    sent = [line for line in told(related(page, "email", head, *names)) if line[0] == "sent_to"]
    assert sent == [("sent_to", "ann@a.org", "bob@b.org"), ("sent_to", "ann@a.org", "cat@c.org")]
    assert not [line for line in told(related(page, "letter", head, *names)) if line[0] == "sent_to"]


def test_a_fault_belongs_to_the_nearest_equipment_of_its_sentence() -> None:
    page = Page(1, "Pump 3 runs, but valve 7 leaks. The fan is fine.")
    names = [
        mention("equipment", "Pump 3", page),
        mention("equipment", "valve 7", page),
        mention("fault", "leaks", page),
        mention("equipment", "fan", page),
    ]
    value = related(page, "report", [], *names)
    assert told(value)[0] == ("has_fault", "valve 7", "leaks")
    assert ("has_fault", "fan", "leaks") not in told(value)
    assert ("mentioned_with", "pump 3", "valve 7") in told(value)


def test_numbers_and_places_stand_beside_somebody_or_are_passed_by() -> None:
    page = Page(1, "Write to a@b.org or c@d.org in Oslo.\n\nAnn Lee has a@b.org in Bergen")
    names = [mention("email", text, page) for text in ("a@b.org", "c@d.org")]
    names += [mention("place", text, page) for text in ("Oslo", "Bergen")]
    names += [mention("email", "a@b.org", page, 1), mention("person", "Ann Lee", page)]
    assert told(related(page, "letter", [], *names)) == [
        ("mentioned_with", "a@b.org", "ann lee"),
        ("mentioned_with", "ann lee", "bergen"),
    ]


def test_standing_together_is_bounded() -> None:
    names = [f"Name{n} Inc" for n in range(60)]
    page = Page(1, ". ".join(f"{one} met {other}" for one in names[:30] for other in names[30:]))
    mentions = [
        Mention("organisation", Span(1, at, at + len(name)), name, name, 0.9, "rule")
        for name in names
        for at in range(len(page.text))
        if page.text.startswith(name, at) and not page.text[at + len(name) :][:1].isalnum()
    ]
    value = related(page, "report", [], *mentions)
    assert len(value.relations) == 150
    crowd = Page(1, " ".join(names))
    assert (
        related(crowd, "report", [], *(mention("organisation", name, crowd) for name in names)).relations
        == ()
    )


@given_any(
    st.lists(st.sampled_from(["Ann Lee", "Acme Inc.", "leaks", "pump", "\n\n", ". ", " and "]), max_size=20)
)
def test_the_evidence_lies_on_its_page_and_holds_both_ends(parts: list[str]) -> None:
    check_evidence(parts)


def test_the_evidence_of_two_that_stand_together_holds_both() -> None:
    assert check_evidence(["Ann Lee", " and ", "Acme Inc.", ". "]) == 1


def check_evidence(parts: list[str]) -> int:
    """Every relation lies on its page and holds both ends; gives how many there are."""
    kinds = {"Ann Lee": "person", "Acme Inc.": "organisation", "leaks": "fault", "pump": "equipment"}
    page = Page(1, "".join(parts))
    mentions, at = [], 0
    for part in parts:
        if part in kinds:
            mentions.append(Mention(kinds[part], Span(1, at, at + len(part)), part, part, 0.9, "rule"))
        at += len(part)
    texts = {("person", "ann lee"): "Ann Lee", ("organisation", "acme"): "Acme Inc."}
    texts |= {("fault", "leaks"): "leaks", ("equipment", "pump"): "pump"}
    found = related(page, "report", [], *mentions).relations
    for each in found:
        assert each.target
        for end in (each.source, each.target):
            assert texts[end] in said(page, each)
    return len(found)
