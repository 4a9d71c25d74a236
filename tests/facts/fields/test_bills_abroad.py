"""Invoices and receipts of several countries."""

from __future__ import annotations

import pytest

from docyard.facts.classify.decision import classify_type
from tests.facts.sample_documents import first_values, make_page, read_fields

AMERICAN = """\
ACME Widgets, Inc.                                   INVOICE
123 Main Street
Springfield, IL 62701                     Invoice #: INV-10293
Phone: (555) 123-4567                     Date: 03/04/2023
                                          Due Date: 04/03/2023
Bill To:                    Ship To:
Jane Roe                    Jane Roe
Globex Corporation          Globex Corporation
9 Elm Ave                   9 Elm Ave

Qty    Description             Unit Price      Amount
2      Blue widget                 $25.00      $50.00
1      Shipping                     $9.99       $9.99

                                  Subtotal     $59.99
                             Sales Tax (6%)     $3.60
                                     TOTAL     $63.59
                              Amount Paid       $0.00
                              Balance Due      $63.59
Thank you for your business!
"""
DUTCH = """\
Bakkerij De Molen B.V.
Molenstraat 4, 1012 AB Amsterdam

Factuurnummer: 2023-118
Factuurdatum: 7 november 2023
Vervaldatum: 21-11-2023

Omschrijving           Aantal    Prijs      Bedrag
Brood                  10        2,50       25,00

Subtotaal                                   25,00
BTW 9%                                       2,25
Totaal te betalen                        € 27,25
IBAN NL91ABNA0417164300
"""
SPANISH = """\
Talleres García S.L.
Calle Mayor 5, 28013 Madrid   NIF: B12345678
FACTURA Nº 2023/045
Fecha: 15/09/2023
Cliente: Hotel Sol S.A.
Concepto            Importe
Reparación          100,00
Base imponible      100,00 €
IVA 21%              21,00 €
TOTAL FACTURA       121,00 €
"""
ITALIAN = """\
Rossi S.r.l.
Via Roma 1, 20121 Milano  P.IVA 01234567890
Fattura n. 12/2024 del 10/01/2024
Spett.le Bianchi S.p.A.
Descrizione   Importo
Consulenza    1.000,00
Imponibile    1.000,00
IVA 22%         220,00
Totale fattura  1.220,00 EUR
Scadenza 10/02/2024
"""
BRITISH = """\
Invoice
From: Smith & Jones Plumbing
14 High St, Leeds LS1 4AB
To: Mr A Brown, 2 Low Rd, York

Invoice number 0077
Invoice date 1st February 2024
Payment due 15 February 2024

Labour  4 hours @ £45.00    £180.00
Parts                        £62.50
Net total                   £242.50
VAT @ 20%                    £48.50
Total due                   £291.00
Bank: sort 12-34-56 acc 12345678
"""
GERMAN_SLIP = """\
KAUFHOF AM KAI GmbH
Hauptstr. 12
50667 Köln
UID Nr.: DE123456789
                 EUR
BANANEN          1,79 B
MILCH 3,5%       1,19 B
PFAND            0,25 A*
--------------------------
SUMME     EUR    3,23
==========================
Geg. BAR  EUR    5,00
Rückgeld BAR EUR 1,77
Steuer %  Netto  Steuer  Brutto
B= 7,0%   2,78   0,20    2,98
A=19,0%   0,21   0,04    0,25
Gesamtbetrag 2,99 0,24 3,23
12.05.2023   17:43  Bon-Nr.:4711
Vielen Dank für Ihren Einkauf
"""
AMERICAN_SLIP = """\
QUAY FOODS MARKET
399 4th Street
San Francisco, CA 94107
(415) 618-0066

ORG BANANAS        $1.58 F
ALMOND MILK        $3.99 F
    SUBTOTAL       $5.57
    TAX            $0.00
    TOTAL          $5.57
VISA               $5.57
CHANGE             $0.00
06/14/2022 05:33 PM
THANK YOU FOR SHOPPING
"""


@pytest.mark.parametrize(
    ("text", "kind", "language", "fields"),
    [
        (
            AMERICAN,
            "invoice",
            "en",
            {
                "seller": "ACME Widgets, Inc.",
                "number": "INV-10293",
                "date": "2023-03-04",
                "due_date": "2023-04-03",
                "net": "59.99",
                "tax": "3.60",
                "total": "63.59",
                "currency": "USD",
            },
        ),
        (
            DUTCH,
            "invoice",
            "nl",
            {
                "seller": "Bakkerij De Molen B.V.",
                "number": "2023-118",
                "date": "2023-11-07",
                "due_date": "2023-11-21",
                "net": "25.00",
                "tax": "2.25",
                "total": "27.25",
                "currency": "EUR",
                "iban": "NL91ABNA0417164300",
            },
        ),
        (
            SPANISH,
            "invoice",
            "es",
            {
                "seller": "Talleres García S.L.",
                "number": "2023/045",
                "date": "2023-09-15",
                "net": "100.00",
                "tax": "21.00",
                "total": "121.00",
                "currency": "EUR",
            },
        ),
        (
            ITALIAN,
            "invoice",
            "it",
            {
                "seller": "Rossi S.r.l.",
                "number": "12/2024",
                "date": "2024-01-10",
                "due_date": "2024-02-10",
                "net": "1000.00",
                "tax": "220.00",
                "total": "1220.00",
                "currency": "EUR",
            },
        ),
        (
            BRITISH,
            "invoice",
            "en",
            {
                "seller": "Smith & Jones Plumbing",
                "number": "0077",
                "date": "2024-02-01",
                "due_date": "2024-02-15",
                "net": "242.50",
                "tax": "48.50",
                "total": "291.00",
                "currency": "GBP",
            },
        ),
        (
            GERMAN_SLIP,
            "receipt",
            "de",
            {"seller": "KAUFHOF AM KAI GmbH", "date": "2023-05-12", "total": "3.23", "currency": "EUR"},
        ),
        (
            AMERICAN_SLIP,
            "receipt",
            "en",
            {"seller": "QUAY FOODS MARKET", "date": "2022-06-14", "total": "5.57", "currency": "USD"},
        ),
    ],
)
def test_reads_bills_of_several_countries(text: str, kind: str, language: str, fields: dict[str, str]) -> None:
    bill = make_page(text)
    assert classify_type([bill], "application/pdf").kind == kind
    found = first_values(read_fields(kind, [bill], language))
    assert {name: found.get(name) for name in fields} == fields


def test_the_currency_of_a_bill_is_the_sign_if_its_country_is_unknown() -> None:
    slip = AMERICAN_SLIP.replace("San Francisco, CA 94107\n", "")
    assert first_values(read_fields("receipt", [make_page(slip)], "en"))["currency"] == "$"
    without_sign = slip.replace("$", "")
    assert "currency" not in first_values(read_fields("receipt", [make_page(without_sign)], "en"))


def test_the_currency_of_a_bill_follows_its_address() -> None:
    slip = AMERICAN_SLIP.replace("San Francisco, CA 94107\n", "Halifax, NS B3H 4R2\n")
    assert first_values(read_fields("receipt", [make_page(slip)], "en"))["currency"] == "CAD"
