"""Fields of contracts: parties, dates, governing law and clauses."""

from __future__ import annotations

import pytest

from docyard.facts.notation.names import find_name_end
from tests.facts.sample_documents import CONTRACT, first_values, list_values, make_page, read_fields


def test_reads_a_contract() -> None:
    fields = read_fields("contract", [make_page(CONTRACT)], "en")
    assert list_values(fields, "party") == ["Tide Harbour Savings and Loan Association, Inc.", "Ann Marie Fisher"]
    found = first_values(fields)
    assert (found["agreement_date"], found["effective_date"]) == ("2020-05-03", "2020-06-01")
    assert found["governing_law"] == "New York"
    assert (found["term"], found["expiration_date"]) == ("three (3) years", "2023-05-31")
    assert list_values(fields, "clause") == ["TERM", "GOVERNING LAW"]
    assert "three (3) years" in found["term"]


def test_finds_parties_on_a_title_page() -> None:
    lines = "LEASE\nbetween\nJOHN DOE\nand\nMole & Sons Ltd.\nEffective February 21, 2011\n"
    fields = read_fields("contract", [make_page(lines)], "en")
    assert list_values(fields, "party") == ["JOHN DOE", "Mole & Sons Ltd."]
    assert first_values(fields)["effective_date"] == "2011-02-21"


def test_finds_parties_by_their_signatures() -> None:
    lines = (
        "JOINT FILING AGREEMENT\nThe undersigned hereby agree that the Schedule is filed for each of us.\n\n"
        "TIDE FUND I, LP\nBy: /s/ A. Fisher\nName: A. Fisher\n\nTIDE ADVISORS, LLC\nBy: /s/ B. Fisher\n"
    )
    fields = read_fields("contract", [make_page(lines)], "en")
    assert list_values(fields, "party") == ["TIDE FUND I, LP", "TIDE ADVISORS, LLC"]


@pytest.mark.parametrize(
    ("sentence", "law"),
    [
        ("It is made in the State of Ohio and governed by the laws thereof.", "Ohio"),
        ("This Agreement is governed by English law.", "England"),
        ("This deed shall be governed by the laws of England and Wales, and nothing else.", "England and Wales"),
        ("GOVERNED BY AND CONSTRUED UNDER THE LAWS OF THE STATE OF TEXAS.", "Texas"),
        ("Es gilt das Recht der Bundesrepublik Deutschland.", "Germany"),
        ("shall be governed by the laws of the District of Columbia. Section 9 applies.", "District of Columbia"),
    ],
)
def test_finds_the_governing_law(sentence: str, law: str) -> None:
    assert first_values(read_fields("contract", [make_page(sentence)], "en"))["governing_law"] == law


def test_compliance_with_laws_is_not_a_choice_of_law() -> None:
    lines = "The parties obey all laws. Taxes are paid."
    assert "governing_law" not in first_values(read_fields("contract", [make_page(lines)], "en"))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Snap Technologies, Inc. a California corporation", "Snap Technologies, Inc."),
        ("Bank of America, N.A., as agent", "Bank of America, N.A."),
        ("Learning UK Limited of Boston House", "Learning UK Limited"),
        ("Harbour Co., Ltd. and Moor GmbH", "Harbour Co., Ltd."),
        ("Kathy Whitworth, an individual", "Kathy Whitworth"),
        ("a company", ""),
    ],
)
def test_finds_the_end_of_a_name(text: str, name: str) -> None:
    assert text[: find_name_end(text, 0)] == name


GERMAN = """Mietvertrag

zwischen der Hafenbau Kiel GmbH, vertreten durch Max Muster, Am Kai 3, 24103 Kiel
(nachfolgend „Vermieterin“ genannt)
und
Frau Anna Fischer, Sandweg 5, 20095 Hamburg (nachfolgend „Mieterin“ genannt)

§ 2 Mietdauer
Das Mietverhältnis beginnt am 1. Mai 2024. Es gilt deutsches Recht.
"""
FRENCH = """CONTRAT DE PRESTATION
Entre les soussignés :
La société Au Bon Moulin SARL, dont le siège est à Lyon, ci-après dénommée « le Prestataire »,
et
Madame Claire Dupont, demeurant à Paris, ci-après dénommée « le Client »,
Le présent contrat entre en vigueur le 1er mars 2024. Il est régi par le droit français.
"""
DEED = """THIS DEED is dated 14 June 2021
PARTIES
(1) HARBOUR PROPERTIES LIMITED registered in England with number 01234567 (the "Landlord"); and
(2) MOLE AND SONS LLP incorporated in Scotland (the "Tenant").
BACKGROUND
This deed is governed by and construed in accordance with the law of England and Wales.
"""


@pytest.mark.parametrize(
    ("text", "language", "parties", "day", "law"),
    [
        (GERMAN, "de", ["Hafenbau Kiel GmbH", "Anna Fischer"], "2024-05-01", "Germany"),
        (FRENCH, "fr", ["Au Bon Moulin SARL", "Claire Dupont"], "2024-03-01", "France"),
        (DEED, "en", ["HARBOUR PROPERTIES LIMITED", "MOLE AND SONS LLP"], "2021-06-14", "England and Wales"),
    ],
)
def test_reads_contracts_of_several_countries(text: str, language: str, parties: list[str], day: str, law: str) -> None:
    fields = read_fields("contract", [make_page(text)], language)
    assert list_values(fields, "party") == parties
    assert (first_values(fields)["effective_date"], first_values(fields)["governing_law"]) == (day, law)


def test_finds_parties_after_labels() -> None:
    lines = "EMPLOYMENT\nEmployer: Tide Mills Ltd\nEmployee: John Smith\nStart date: 7/1/2023\nOhio, USA"
    fields = read_fields("contract", [make_page(lines)], "en")
    assert list_values(fields, "party") == ["Tide Mills Ltd", "John Smith"]
    assert first_values(fields)["effective_date"] == "2023-07-01"


@pytest.mark.parametrize(
    ("clause", "term", "expires"),
    [
        ("The term of this Agreement is two (2) years from the Effective Date.", "2", "2022-03-05"),
        ("This Agreement shall expire on December 31, 2024.", None, "2024-12-31"),
        ("The Term is January 1, 2021 to December 31, 2021.", None, "2021-12-31"),
        ("It may be renewed for a further period ending December 31, 2029.", None, None),
        ("It shall survive this Agreement and continue for three (3) years thereafter.", None, None),
        ("The term of this Agreement begins today and ends upon sixty (60) days written notice.", None, None),
        ("The initial term is five (5) years.", "5", None),
    ],
)  # fmt: skip
def test_finds_term_and_expiration(clause: str, term: str | None, expires: str | None) -> None:
    opening = 'This Agreement is made as of March 5, 2020 (the "Effective Date") between A Inc. and B LLC.'
    text = f"{opening}\n{clause}\n"
    found = first_values(read_fields("contract", [make_page(text)], "en"))
    assert (term is None) == ("term" not in found)
    assert term is None or term in found["term"]
    assert found.get("expiration_date") == expires
