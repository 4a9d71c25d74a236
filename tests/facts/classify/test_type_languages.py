"""Types of documents in several languages, and documents that only resemble a type."""

from __future__ import annotations

import pytest

from docyard.facts.classify.decision import classify_type
from docyard.facts.classify.scores import score_types
from docyard.facts.classify.types import DocumentType
from docyard.model.text.pages import Page

BAIL = (
    "BAIL DE GARAGE\nENTRE LES SOUSSIGNÉS\nMadame Odile Moor, demeurant à Brest,\n"
    "ci-après dénommée « le Bailleur »,\nET\nMonsieur Yann Tide,\nci-après dénommé « le Locataire »,\n"
    "IL A ÉTÉ CONVENU CE QUI SUIT\nLoyer : 90 euros par mois."
)
KAUF = (
    "Kaufvertrag über ein Boot\n\nVerkäufer: Ina Moor\nKäufer: Tide GmbH\n\nDie Vertragsparteien vereinbaren:"
    " Das Boot wird unter Ausschluss der Gewährleistung verkauft.\n\nKiel, den 3.5.2024"
)
STROM = (
    "Stadtwerke Kiel\nIhre Stromrechnung\nRechnungsnummer: 77\nNettobetrag 100,00 EUR\n"
    "Umsatzsteuer 19 % 19,00 EUR\nNachzahlung 119,00 EUR"
)
BRIEF = (
    "IN THE SUPREME COURT OF THE STATE OF MAINE\nANN MOOR, Appellant,\nv.\nTIDE BOARD, Appellee.\n"
    "APPELLANT'S OPENING BRIEF\nOn Appeal from the District Court\n/s/ Bo Quay\nAttorney for Appellant"
)
RAPPORT = "RAPPORT D'INTERVENTION\nÉquipement : pompe\nPanne : joint percé\nTechnicien : Yves Moor\nDate : 3/5/2024"
LETTRE = "Geachte heer Moor,\n\nuw ligplaats is vrij.\n\nMet vriendelijke groet,\nA. Tide"
CV = "Anne Moor\n\nExpérience professionnelle\n2019-2024 : capitaine\n\nFormation\n2016\n\nCompétences\nVoile"
PROTOKOLL = "Protokoll der Vorstandssitzung\nAnwesend: Moor, Tide\nEntschuldigt: Quay\n\nTOP 1 Steg"
LIEFERSCHEIN = "Lieferschein Nr. L-77\nHolz Moor GmbH\nLieferadresse:\nTide Bau\nIhre Bestellung vom 02.09.2024"
DEVIS = "DEVIS N° 12\nToiture Moor\nClient : Mme Tide\nTotal HT 100,00\nTVA 10 % 10,00\nTotal TTC 110,00"
PAYSLIP = "PAYSLIP\nMoor Foods Ltd\nEmployee: Bo Tide\nGross pay 2,000.00\nDeductions 400.00\nNet pay 1,600.00"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (BAIL, "contract"),
        (KAUF, "contract"),
        (STROM, "invoice"),
        (BRIEF, "filing"),
        (RAPPORT, "work_order"),
        (LETTRE, "letter"),
        (CV, "resume"),
        (PROTOKOLL, "minutes"),
        (LIEFERSCHEIN, None),
        (DEVIS, None),
        (PAYSLIP, None),
    ],
    ids=[
        *("bail", "kauf", "strom", "brief", "intervention", "lettre", "cv", "protokoll", "lieferschein"),
        *("devis", "payslip"),
    ],
)
def test_classifies_documents_in_several_languages(text: str, kind: str | None) -> None:
    assert classify_type([Page(1, text)], "text/plain").kind == kind


def test_contrary_phrases_lower_the_score_unless_the_title_matches() -> None:
    slip = DocumentType("slip", "a slip", ((3.0, r"\bberth\b"),), titles="slip", against=((2.0, r"\bquote\b"),))
    (plain,) = score_types([slip], [Page(1, "berth 7")], "text/plain")
    (doubted,) = score_types([slip], [Page(1, "quote for berth 7")], "text/plain")
    (titled,) = score_types([slip], [Page(1, "Slip\nquote for berth 7")], "text/plain")
    assert doubted.score == plain.score - 2.0
    assert titled.score > plain.score
    assert all(each.weight > 0 for each in doubted.evidence)
