"""Invoices and receipts written for these tests, in several languages and layouts."""

from __future__ import annotations

from pathlib import Path

import pytest

from docyard.cli.run.samples import make_sample_documents
from docyard.facts.classify.decision import classify_type
from docyard.readers.pdf import reader as pdf
from tests.facts.sample_documents import first_values, make_page, read_fields

_BILLS = sorted(Path(__file__).with_name("bills").glob("*.txt"))
_NOT_STATED = "-"


@pytest.mark.parametrize("path", _BILLS, ids=lambda path: path.stem)
def test_reads_a_bill(path: Path) -> None:
    header, _, text = path.read_text().partition("\n---\n")
    expected = dict(line.split(": ", 1) for line in header.splitlines())
    kind, language = expected.pop("type"), expected.pop("language")
    bill = make_page(text)
    assert classify_type([bill], "application/pdf").kind == kind
    found = first_values(read_fields(kind, [bill], language))
    assert {name: found.get(name, _NOT_STATED) for name in expected} == expected


def test_reads_the_sample_invoice_from_a_pdf(tmp_path: Path) -> None:
    path = tmp_path / "invoice.pdf"
    path.write_bytes(dict(make_sample_documents())["invoice-2025-0417.pdf"])
    found = first_values(read_fields("invoice", pdf.read(path, 1).pages, "en"))
    assert (found["seller"], found["buyer"]) == ("Northwind Chandlery GmbH", "Sailing School Albatross")
    assert (found["net"], found["tax"], found["total"]) == ("643.80", "122.32", "766.12")
    assert (found["date"], found["due_date"], found["number"]) == ("2025-04-17", "2025-05-01", "2025-0417")
