"""Purchase orders, work orders and messages in several languages."""

from __future__ import annotations

from tests.facts.sample_documents import first_values, make_page, read_fields

ORDER = """Bestellung Nr. 418-25

Klinik am Hafen gGmbH
Kai 6, 24103 Kiel

Lieferant:
Verbandstoffe Moor KG
Deichstr. 3, 25746 Heide

Bestelldatum: 21.01.2025
Liefertermin: 04.02.2025

Verband          40        12,50       500,00
Gesamtsumme netto                      500,00 EUR
"""
REPORT = """RAPPORT D'INTERVENTION N° 2025-0031

Date : 15/01/2025
Lieu : salle des machines
Équipement : pompe P-7
Panne constatée : joint percé
Travaux effectués : joint remplacé
Technicien : Yves Moor
"""


def test_reads_a_purchase_order() -> None:
    found = first_values(read_fields("purchase_order", [make_page(ORDER)], "de"))
    assert (found["number"], found["date"]) == ("418-25", "2025-01-21")
    assert (found["seller"], found["buyer"]) == ("Verbandstoffe Moor KG", "Klinik am Hafen gGmbH")
    assert found["total"] == "500.00"


def test_the_name_at_the_top_of_an_order_is_not_the_seller() -> None:
    text = "PURCHASE ORDER\nTide Brewing Ltd\n1 Quay Street\nP.O. Number: 77\nOrder date: 3 May 2024\n"
    found = first_values(read_fields("purchase_order", [make_page(text)], "en"))
    assert "seller" not in found
    assert (found["number"], found["date"]) == ("77", "2024-05-03")


def test_reads_a_french_work_order() -> None:
    found = first_values(read_fields("work_order", [make_page(REPORT)], "fr"))
    assert (found["number"], found["date"]) == ("2025-0031", "2025-01-15")
    assert (found["equipment"], found["location"]) == ("pompe P-7", "salle des machines")
    assert (found["fault"], found["action"]) == ("joint percé", "joint remplacé")
    assert found["technician"] == "Yves Moor"


def test_reads_a_printed_french_message() -> None:
    text = "De : Anne Moor\nEnvoyé : mardi 21 janvier 2025 10:02\nÀ : Paul\nObjet : marées\n\nBonjour\n"
    found = first_values(read_fields("email", [make_page(text)], "fr"))
    assert (found["from"], found["subject"], found["date"]) == ("Anne Moor", "marées", "2025-01-21")
