"""Names that a document defines as a role or as an organisation are not people."""

from __future__ import annotations

import pytest

from docyard.facts.entities import recognition
from docyard.facts.entities.definitions import read_definitions, reconcile_people
from docyard.facts.entities.recognition import read_mentions
from docyard.facts.entities.spans import NamedSpan
from docyard.inference import tagger
from docyard.model.text.pages import Page


def reconcile(text: str, *tagged: str, rule: str = "") -> dict[str, str]:
    """Return the kind of each name, if the tagger takes these names for people wherever they occur."""
    spans = [
        NamedSpan("person", start, start + len(name), name, 0.9, "rule" if name == rule else "model")
        for name in tagged
        for start in [text.rindex(name)]
    ]
    found = reconcile_people(text, spans, read_definitions(text))
    return {text[each.start : each.end]: each.kind for each in found}


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ('Harbour Mills (the "Wholesaler") sells flour. Wholesaler delivers on Monday.', "Wholesaler"),
        ("Dunmore and others (each, a “Stevedore”) agree. Stevedore unloads.", "Stevedore"),
        ('"Chandler" means the person named in Annex 1. Chandler supplies the ship.', "Chandler"),
        ("“Chandler” shall have the meaning given in Annex 1. Chandler pays.", "Chandler"),
        ("Ann Lee, hereinafter referred to as the Stevedore. The duties of Stevedore begin.", "Stevedore"),
        ('Ann Lee (hereinafter "Stevedore"). Stevedore begins.', "Stevedore"),
        ("Anna Lenz, nachstehend „Reeder“ genannt. Pflichten: Reeder zahlt.", "Reeder"),
        ("Anna Lenz, im Folgenden Reederin genannt, zahlt. Reederin haftet.", "Reederin"),
        ("Anna Lenz (im Folgenden: „Reederin“) zahlt. Reederin haftet.", "Reederin"),
        ("Mme Morel (ci-après dénommée « Preneuse ») paie. Preneuse signe.", "Preneuse"),
        ('Mill Ltd ("Wholesaler") sells. The obligations of WHOLESALER survive.', "WHOLESALER"),
        ('Mill Ltd and Dock Ltd (the "Wholesalers") sell. Every duty of Wholesaler ends.', "Wholesaler"),
        ("Ann Lee (the 'Stevedore') agrees. Stevedore begins.", "Stevedore"),
        ("Ann Lee (the ‘Stevedore’) agrees. Stevedore begins.", "Stevedore"),
        ("'Chandler' means the person named in Annex 1. Chandler supplies the ship.", "Chandler"),
        ('"Dunmore" or the "Supplier" means Dunmore Mills Limited. Dunmore pays.', "Dunmore"),
        ("Ann Lee, as Stevedore, agrees. Stevedore begins.", "Stevedore"),
    ],
)
def test_a_defined_role_is_not_a_person(text: str, term: str) -> None:
    assert reconcile(text, term) == {}


@pytest.mark.parametrize(
    "role", ["Tenant", "Licensor", "Executive", "Purchaser", "Party B", "Vermieter", "Auftragnehmer"]
)
def test_a_usual_role_is_not_a_person_even_without_a_definition(role: str) -> None:
    assert reconcile(f"On that day {role} pays.", role) == {}


@pytest.mark.parametrize(
    "text",
    [
        'Dunmore Voss, a Delaware corporation (the "Agent"), signs. Dunmore Voss pays.',
        "Dunmore Voss, an Irish limited liability company, signs. Dunmore Voss pays.",
        "Dunmore Voss & Co. LLC signs. Then Dunmore Voss pays.",
        "Die Dunmore Voss GmbH unterschreibt. Dunmore Voss zahlt.",
        'Dunmore Voss Shipping, Inc. ("Dunmore Voss") signs. Dunmore Voss pays.',
        'Dunmore Voss ("Voss"), a company registered in Ireland, signs. Dunmore Voss pays.',
        'Dunmore Voss (hereinafter "Voss"), a company formed under the laws of Ireland. Dunmore Voss pays.',
        "Dunmore Voss is a Delaware corporation. Dunmore Voss pays.",
        "Dunmore Voss, organised under the laws of Delaware, signs. Dunmore Voss pays.",
        'Dunmore Voss (the "Company") signs. Dunmore Voss pays.',
    ],
)
def test_a_name_that_is_a_company_elsewhere_in_the_document_is_an_organisation(text: str) -> None:
    assert reconcile(text, "Dunmore Voss") == {"Dunmore Voss": "organisation"}


def test_a_short_name_that_is_defined_for_a_person_stays_a_person() -> None:
    text = 'Robert Voss ("Voss") and Quay Ltd ("Quay") agree. Voss pays.'
    assert reconcile(text, "Robert Voss", "Voss") == {"Robert Voss": "person", "Voss": "person"}


def test_apostrophes_and_comparisons_define_no_roles() -> None:
    text = "The tenants' Quay and the sellers' goods mean much. Painters, such as Ada Voss, agree. Ada Voss pays."
    assert reconcile(text, "Quay", "Ada Voss") == {"Quay": "person", "Ada Voss": "person"}


def test_a_nickname_is_not_a_role() -> None:
    assert reconcile('Robert ("Bob") Voss agrees. Then Bob pays.', "Bob") == {"Bob": "person"}


def test_a_person_stays_one_if_a_company_has_a_longer_name() -> None:
    text = "Ada Voss founded Ada Voss Shipping, Inc. in 1990. Today Ada Voss lives in Cork."
    assert reconcile(text, "Ada Voss") == {"Ada Voss": "person"}


def test_a_name_with_a_title_or_signature_stays_a_person() -> None:
    text = "Ada Voss, Inc. is led by Ms. Ada Voss"
    assert reconcile(text, "Ada Voss", rule="Ada Voss") == {"Ada Voss": "person"}


def test_a_word_that_the_text_uses_as_a_common_noun_is_not_a_person() -> None:
    assert reconcile("The pilot boards. Then Pilot signs.", "Pilot") == {}
    assert reconcile("Such Hullwright shall pay. Then Hullwright signs.", "Hullwright") == {}
    assert reconcile("Will Mark Quinn mark it? Yes, Mark will.", "Mark Quinn", "Mark") == {
        "Mark Quinn": "person",
        "Mark": "person",
    }


def test_definitions_of_one_page_apply_to_all_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagger, "is_installed", lambda: True)
    monkeypatch.setattr(
        recognition, "_run_tagger", lambda text: [NamedSpan("person", 0, 10, "Wholesaler", 0.9, "model")]
    )
    pages = [Page(1, 'Wholesaler: Mill Ltd (the "Wholesaler")'), Page(2, "Wholesaler pays.")]
    assert [each for each in read_mentions(pages, "en") if each.kind == "person"] == []


def test_a_page_that_is_too_long_for_the_tagger_leaves_its_budget_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagger, "is_installed", lambda: True)
    monkeypatch.setattr(recognition, "MAX_TAGGED_CHARS", 100)
    monkeypatch.setattr(recognition, "_run_tagger", lambda text: [NamedSpan("person", 0, 8, "Ann Voss", 0.9, "model")])
    pages = [Page(1, "Ann Voss " * 20), Page(2, "Ann Voss signs."), Page(3, "Ann Voss pays.")]
    assert [each.span.page for each in read_mentions(pages, "en") if each.kind == "person"] == [2, 3]
