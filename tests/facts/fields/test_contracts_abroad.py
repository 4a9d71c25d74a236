"""Expiration, governing law and parties of contracts in several languages and styles."""

from __future__ import annotations

import pytest

from tests.facts.sample_documents import first_values, list_values, make_page, read_fields

GERMAN = """Liegeplatzvertrag

zwischen der Hafen Nord GmbH, Kai 1, 24103 Kiel
(im Folgenden: "Vermieterin")

und

Frau Wiebke Jansen, Am Deich 4, 24105 Kiel
(im Folgenden: "Mieterin")

§ 1 Laufzeit
Der Vertrag tritt am 1. April 2024 in Kraft und hat eine Laufzeit von 24 Monaten.

§ 2 Recht
Es gilt deutsches Recht.

Kiel, den 12.03.2024
"""
FRENCH = """CONTRAT DE MOUILLAGE

ENTRE LES SOUSSIGNÉS

Madame Odile Kervella, née le 3 mai 1960 à Brest, demeurant 2 quai Nord, 29200 Brest,
ci-après dénommée « la Propriétaire »,

ET

Monsieur Loïc Tanguy, demeurant 9 rue du Port, 29200 Brest,
ci-après dénommé « le Locataire »,

1. Durée : pour une durée de trois ans, du 1er mai 2024 au 30 avril 2027.

2. Le présent contrat est soumis au droit français.

Fait à Brest, le 18 avril 2024, en deux exemplaires.
"""
SPANISH = """CONTRATO DE AMARRE

En Vigo, a 2 de enero de 2024

REUNIDOS

De una parte, Marinas del Norte, S.L., en adelante el "CLIENTE".

De otra parte, D. Xoán Loureiro Vila, con DNI 36110022K, en adelante el "PRESTADOR".

Segunda. Duración. El contrato finaliza el 1 de enero de 2026.

Cuarta. El presente contrato se rige por la legislación española.
"""


def test_reads_a_german_contract() -> None:
    fields = read_fields("contract", [make_page(GERMAN)], "de")
    assert list_values(fields, "party") == ["Hafen Nord GmbH", "Wiebke Jansen"]
    found = first_values(fields)
    assert (found["agreement_date"], found["effective_date"]) == ("2024-03-12", "2024-04-01")
    assert (found["expiration_date"], found["governing_law"]) == ("2026-03-31", "Germany")


def test_ignores_dates_of_birth_in_a_french_contract() -> None:
    fields = read_fields("contract", [make_page(FRENCH)], "fr")
    assert list_values(fields, "party") == ["Odile Kervella", "Loïc Tanguy"]
    found = first_values(fields)
    assert (found["agreement_date"], found["effective_date"]) == ("2024-04-18", "2024-05-01")
    assert (found["expiration_date"], found["governing_law"]) == ("2027-04-30", "France")


def test_reads_a_spanish_contract() -> None:
    fields = read_fields("contract", [make_page(SPANISH)], "es")
    assert list_values(fields, "party") == ["Marinas del Norte, S.L.", "Xoán Loureiro Vila"]
    found = first_values(fields)
    assert (found["expiration_date"], found["governing_law"]) == ("2026-01-01", "Spain")


BEGINS = "This Agreement shall commence on 1 May 2023"


@pytest.mark.parametrize(
    ("sentence", "expires"),
    [
        ("It starts on 1 May 2023 and ends twenty-four (24) months later.", "2025-04-30"),
        ("It commences on 1 May 2023 and ends after eighteen (18) months.", "2024-10-31"),
        ("Effective May 1, 2023. It expires two (2) years after the Effective Date.", "2025-04-30"),
        (f"{BEGINS} and, unless terminated earlier, continue for an initial term of 36 months.", "2026-04-30"),
        (f"{BEGINS} and, unless earlier terminated or extended, shall end as of May 3, 2027.", "2027-05-03"),
        ("The contract is in force from 1 May 2023 bis zum 30. April 2024.", "2024-04-30"),
        ("It took effect on 1 May 2023. Deze overeenkomst eindigt op 31 oktober 2025.", "2025-10-31"),
    ],
)
def test_finds_the_expiration_in_several_wordings(sentence: str, expires: str) -> None:
    text = f"BERTH AGREEMENT\nbetween Tide Ltd. and Moor Ltd.\n\n{sentence}\n"
    assert first_values(read_fields("contract", [make_page(text)], "en"))["expiration_date"] == expires


def test_a_notice_period_is_not_a_term() -> None:
    text = "BERTH AGREEMENT made on 1 May 2023\nEither party may end it after three (3) months' notice.\n"
    assert "expiration_date" not in first_values(read_fields("contract", [make_page(text)], "en"))


@pytest.mark.parametrize(
    ("sentence", "law"),
    [
        ("The performance of this Agreement shall be controlled by the laws of the State of Maine.", "Maine"),
        ("The laws of Malta shall govern this Agreement.", "Malta"),
        ("Oregon law applies to this Agreement.", "Oregon"),
        ("Il contratto è regolato dalla legge italiana.", "Italy"),
        ("Op deze overeenkomst is Nederlands recht van toepassing.", "Netherlands"),
    ],
)
def test_finds_the_governing_law_in_several_wordings(sentence: str, law: str) -> None:
    assert (
        first_values(read_fields("contract", [make_page(f"AGREEMENT\n\n{sentence}\n")], "en"))["governing_law"] == law
    )


LIST = """Parties

1. Tide Ventures Limited, a company registered in England and Wales (the Seller)
2. Moor Foods plc, a company registered in England and Wales (the Buyer)

Agreed terms
"""
LETTERED = """by and among:
(a) Tide Corp. ("Tide");
(b) Moor, LLC ("Moor"); and
(c) The Quay Cooperative, Inc. (the "Cooperative").
"""
NOTE = 'FOR VALUE RECEIVED, Ann B. Fisher ("Borrower") promises to pay Quay Credit Union ("Lender") $900.'
DASHED = """zwischen

1. Leuchtturm AG, Kai 2, Kiel
- "Leuchtturm" -

2. Dr. Ina Moor, Weg 3, Kiel
- "Beraterin" -

Präambel
"""
LABELS = "Client: The University of Quay\nFirm: Moor & Sons LLP\n"


@pytest.mark.parametrize(
    ("opening", "names"),
    [
        (LIST, ["Tide Ventures Limited", "Moor Foods plc"]),
        (LETTERED, ["Tide Corp.", "Moor, LLC", "Quay Cooperative, Inc."]),
        (NOTE, ["Ann B. Fisher", "Quay Credit Union"]),
        (DASHED, ["Leuchtturm AG", "Dr. Ina Moor"]),
        (LABELS, ["University of Quay", "Moor & Sons LLP"]),
    ],
    ids=["list", "lettered", "note", "dashed", "labels"],
)
def test_finds_parties_in_several_styles(opening: str, names: list[str]) -> None:
    assert list_values(read_fields("contract", [make_page(f"AGREEMENT\n\n{opening}")], "en"), "party") == names


def test_the_last_signature_makes_a_contract_effective() -> None:
    text = (
        "LICENSE between Tide Corp. and Moor Corp., effective on the date of the last signature below.\n"
        "\nTide: ______ Date: May 3, 2021\nMoor: ______ Date: May 9, 2021\n"
    )
    assert first_values(read_fields("contract", [make_page(text)], "en"))["effective_date"] == "2021-05-09"


def test_the_start_of_instalments_is_not_the_effective_date() -> None:
    text = "NOTE made as of June 3, 2023\nTide Corp. pays in monthly installments beginning August 1, 2023.\n"
    assert first_values(read_fields("contract", [make_page(text)], "en"))["effective_date"] == "2023-06-03"
