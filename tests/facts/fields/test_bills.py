"""Fields of receipts and invoices: parties, dates and amounts."""

from __future__ import annotations

import pytest

from docyard.facts.fields.layout.labels import classify_label
from docyard.model.text.pages import Page, Word, pack_words
from tests.facts.sample_documents import INVOICE, RECEIPT, first_values, make_page, read_fields


def test_reads_a_receipt() -> None:
    found = first_values(read_fields("receipt", [make_page(RECEIPT)], "en"))
    assert found["seller"] == "HARBOUR LIGHT TRADING SDN BHD"
    assert (found["date"], found["total"], found["currency"]) == ("2018-03-13", "100.90", "MYR")
    assert found["number"] == "CS0042"


def test_the_change_confirms_the_total() -> None:
    lines = "CORNER SHOP\n12.04.2024\nTea 3.20\nTotal 3.02\nGrand 3.20\nCash 5.00\nChange 1.80\nTotal 3.20"
    assert first_values(read_fields("receipt", [make_page(lines)], "en"))["total"] == "3.20"


def test_takes_the_total_after_rounding() -> None:
    lines = "CORNER SHOP\n12.04.2024\nTea  28.31\nTotal (Inclusive of GST)  28.31\nRounding  -0.01\nTOTAL  28.30"
    assert first_values(read_fields("receipt", [make_page(lines)], "en"))["total"] == "28.30"


def test_drops_a_value_that_is_not_contiguous_in_the_text() -> None:
    """The words are on one line of the page, but not adjacent in its text."""
    adjacent, separate = "Harbour Works GmbH\nother words", "GmbH\nother words\nHarbour Works"
    assert first_values(read_fields("invoice", [page_with_one_line(adjacent)], "de"))["seller"] == "Harbour Works GmbH"
    assert read_fields("invoice", [page_with_one_line(separate)], "de") == ()


def page_with_one_line(text: str) -> Page:
    """Return a page with three words on one line, regardless of their order in its text."""
    offsets = [(word, text.index(word)) for word in ("Harbour", "Works", "GmbH")]
    edges = [(0, 50), (55, 95), (100, 130)]
    words = [
        Word(offset, offset + len(word), left, 0, right, 10)
        for (word, offset), (left, right) in zip(offsets, edges, strict=True)
    ]
    return Page(1, text, 600, 800, pack_words(sorted(words)))


def test_reads_an_invoice() -> None:
    found = first_values(read_fields("invoice", [make_page(INVOICE)], "de"))
    assert found["seller"] == "Lighthouse Supply GmbH"
    assert found["number"] == "2026-0042"
    assert (found["date"], found["due_date"]) == ("2026-03-05", "2026-04-04")
    assert (found["net"], found["tax"], found["total"]) == ("1420.00", "269.80", "1689.80")
    assert (found["currency"], found["iban"]) == ("EUR", "DE02120300000000202051")


def test_column_headers_determine_the_roles_of_amounts() -> None:
    lines = "Tide Mills SARL\n\nTotal HT      TVA      Total TTC\n624,90 €      46,25 €    671,15 €\n"
    found = first_values(read_fields("invoice", [make_page(lines)], "fr"))
    assert (found["total"], found["net"], found["tax"]) == ("671.15", "624.90", "46.25")


def test_a_prepayment_does_not_lower_the_total() -> None:
    lines = "Mole & Sons Ltd\nTotal incl. VAT  530.75\nPaid  147.00\nBalance due  383.75"
    found = first_values(read_fields("invoice", [make_page(lines)], "en"))
    assert (found["total"], found["payable"]) == ("530.75", "383.75")


def test_ignores_an_iban_with_wrong_check_digits() -> None:
    lines = "Total 5.00\nIBAN DE03 1203 0000 0000 2020 51"
    assert "iban" not in first_values(read_fields("invoice", [make_page(lines)], "de"))


def test_distinguishes_buyer_and_seller() -> None:
    lines = "Invoice 12\nBill to:\nQuay Stores Ltd\nHarbour Road\n\nSold by: Mole & Sons Ltd\nTotal 5.00"
    found = first_values(read_fields("invoice", [make_page(lines)], "en"))
    assert (found["seller"], found["buyer"]) == ("Mole & Sons Ltd", "Quay Stores Ltd")


@pytest.mark.parametrize(
    ("label", "role"),
    [
        ("Total Sales (Excluding GST)", "net"),
        ("Total Sales (Inclusive of GST) :", "total"),
        ("GST payable (6%)", "tax"),
        ("Total Qty", "other"),
        ("Total Discount", "other"),
        ("T0TAL", "total"),
        ("Sub-total", "subtotal"),
        ("Total After Rounding", "total"),
        ("Rounding Adjustment", "rounding"),
        ("Montant total TTC", "total"),
        ("Gesamtbetrag", "total"),
        ("Solde à payer", "payable"),
        ("Change Due", "change"),
    ],
)
def test_classifies_labels_of_amounts(label: str, role: str) -> None:
    assert classify_label(label)[0] == role


def test_finds_no_fields_in_other_texts() -> None:
    found = first_values(read_fields("invoice", [make_page("Dear all,\nsee you on the quay.")], "en"))
    assert not {"total", "net", "tax", "date", "number", "iban", "currency"} & set(found)
    assert read_fields(None, [make_page(INVOICE)], "de") == ()
    assert read_fields("novel", [make_page(INVOICE)], "de") == ()
