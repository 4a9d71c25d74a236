"""Titles of documents whose first line is not the title."""

from __future__ import annotations

import pytest

from docyard.facts.describe.title import choose_title
from docyard.model.text.pages import Page
from tests.facts.sample_documents import make_page

LEASE = "DATED 24 June 2023\n(1) TIDE ESTATES LIMITED\n- and -\n(2) MOOR LIMITED\nLEASE\nof Unit 3\n"
EXHIBIT = "Exhibit 10.1\n\nBERTH AGREEMENT\n\nThis Agreement is made on May 3, 2020.\n"
LETTER = "Tide Society\n3 Market Place\n8 October 2024\nYour berth no. 7\nDear Mr Moor,\nit is free.\n"
LABELLED = "Mairie de Brest\nBrest, le 19 novembre 2024\nObjet : votre mouillage\nMadame,\nil est libre.\n"
MAIL = "From: Ann Moor\nSent: Monday, 17 June 2024 09:14\nTo: Bo\nSubject: Tides\n\nAll,\n"
RULING = "[2024] EWHC 11 (Comm)\nCase No: CL-2022-000471\nIN THE HIGH COURT OF JUSTICE\n"


@pytest.mark.parametrize(
    ("kind", "text", "title"),
    [
        ("contract", LEASE, "LEASE"),
        ("contract", EXHIBIT, "BERTH AGREEMENT"),
        ("letter", LETTER, "Your berth no. 7"),
        ("letter", LABELLED, "votre mouillage"),
        ("email", MAIL, "Tides"),
        ("court_opinion", RULING, "IN THE HIGH COURT OF JUSTICE"),
    ],
    ids=["lease", "exhibit", "letter", "labelled", "mail", "ruling"],
)
def test_skips_lines_above_the_title(kind: str, text: str, title: str) -> None:
    assert choose_title(None, [Page(1, text)], text, "scan.pdf", kind) == title


def test_does_not_join_two_columns_into_a_title() -> None:
    text = "Tide Elektro GmbH              Tel. 0431 / 44 17 90\n\nRechnung\n"
    assert choose_title(None, [make_page(text)], text, "scan.pdf", "invoice") == "Tide Elektro GmbH"


def test_falls_back_to_a_date_if_there_is_nothing_else() -> None:
    assert choose_title(None, [Page(1, "Kiel, 3. Mai 2024")], "Kiel, 3. Mai 2024", "a.txt", None) == "Kiel, 3. Mai 2024"
