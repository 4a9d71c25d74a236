"""Captions, case numbers and dates of courts in several countries."""

from __future__ import annotations

import pytest

from docyard.facts.fields.court.dockets import find_dockets
from tests.facts.sample_documents import first_values, list_values, make_page, read_fields

ENGLISH = """[2023] EWCA Civ 99
Case No: CA-2022-000117
IN THE COURT OF APPEAL (CIVIL DIVISION)
Date: 04/07/2023

Between:
(1) TIDE ESTATES LIMITED
(2) PAUL MOOR
Appellants
- and -
QUAY BOROUGH COUNCIL
Respondent
"""
GERMAN = """Landgericht Stade
Aktenzeichen: 3 O 17/23

In dem Rechtsstreit

der Moor Landtechnik GmbH, vertreten durch den Geschäftsführer, Am Deich 2, 21682 Stade,
Klägerin,
Prozessbevollmächtigte: Rechtsanwälte Quast & Kollegen

gegen

Herrn Wilko Tiede, Dorfstraße 8, 21709 Himmelpforten,
Beklagter,

hat die 3. Zivilkammer auf die mündliche Verhandlung vom 05.02.2024 am 04.03.2024 für Recht erkannt:
"""
TEXAN = """CAUSE NO. 2024-11877

TERESA MOOR                §     IN THE DISTRICT COURT OF
                           §
v.                         §     HARRIS COUNTY, TEXAS
                           §
TIDE FREIGHT, INC.         §     189TH JUDICIAL DISTRICT

PLAINTIFF'S ORIGINAL PETITION
On January 9, 2024 a collision occurred.
Filed: May 17, 2024
"""
FRENCH = """COUR D'APPEL DE RENNES
ARRÊT DU 16 NOVEMBRE 2023
N° RG 21/01234

APPELANTE :
SARL Chantier du Port, 12 quai Nord, 29200 Brest

INTIMÉE :
SA Mutuelle des Marins, 5 rue Haute, 35000 Rennes
"""
ORDER = """UNITED STATES DISTRICT COURT
DISTRICT OF MAINE
TIDE, INC., Plaintiff,
v.
MOOR, LLC, Defendant.
No. 2:22-cv-00417-KRS
The motion filed August 3, 2022 is denied.
Dated this 17th day of January, 2023.
"""


@pytest.mark.parametrize(
    ("text", "language", "second_side", "day", "docket"),
    [
        (ENGLISH, "en", "QUAY BOROUGH COUNCIL", "2023-07-04", "CA-2022-000117"),
        (GERMAN, "de", "Wilko Tiede", "2024-03-04", "3 O 17/23"),
        (TEXAN, "en", "TIDE FREIGHT, INC.", "2024-05-17", "2024-11877"),
        (FRENCH, "fr", "Mutuelle des Marins", "2023-11-16", "21/01234"),
        (ORDER, "en", "MOOR, LLC", "2023-01-17", "2:22-cv-00417-KRS"),
    ],
    ids=["english", "german", "texan", "french", "order"],
)
def test_reads_a_case(text: str, language: str, second_side: str, day: str, docket: str) -> None:
    fields = read_fields("court_opinion", [make_page(text)], language)
    found = first_values(fields)
    assert (found["date"], found["docket"]) == (day, docket)
    assert list_values(fields, "party")[1] == second_side


def test_finds_the_first_side() -> None:
    firsts = [
        list_values(read_fields("filing", [make_page(text)], None), "party")[0]
        for text in (ENGLISH, GERMAN, TEXAN, FRENCH, ORDER)
    ]
    assert firsts[0].startswith("TIDE ESTATES LIMITED")
    assert firsts[1:] == ["Moor Landtechnik GmbH", "TERESA MOOR", "Chantier du Port", "TIDE, INC."]


def test_finds_sides_after_their_roles() -> None:
    text = "EMPLOYMENT TRIBUNALS\nClaimant: Ms J Moor\nRespondent: Tide Plastics Ltd\nDate: 19 January 2024\n"
    fields = read_fields("court_opinion", [make_page(text)], "en")
    assert list_values(fields, "party") == ["Ms J Moor", "Tide Plastics Ltd"]


def test_the_court_does_not_include_words_before_it() -> None:
    text = "IN THE COURT OF APPEALS OF THE STATE OF OREGON\n"
    found = first_values(read_fields("court_opinion", [make_page(text)], "en"))
    assert found["court"] == "COURT OF APPEALS OF THE STATE OF OREGON"


@pytest.mark.parametrize(
    ("text", "number"),
    [("No. DA 23-0417", "DA 23-0417"), ("OGH, 4 Ob 112/23k", "4 Ob 112/23k"), ("CAUSE NO. 24-117", "24-117")],
)
def test_finds_case_numbers(text: str, number: str) -> None:
    assert find_dockets(text)[0].number == number
