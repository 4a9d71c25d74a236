"""Invoices and receipts written for these tests, as six languages and many houses lay them out."""

from __future__ import annotations

from pathlib import Path

import pytest

from docyard.cli.run.samples import sample_documents
from docyard.facts.classify.decision import classify_type
from docyard.readers.pdf import reader as pdf
from tests.facts.papers import fields_of, page, values

_BILLS = sorted(Path(__file__).with_name("bills").glob("*.txt"))
_NOT_SAID = "-"


@pytest.mark.parametrize("path", _BILLS, ids=lambda path: path.stem)
def test_a_written_bill(path: Path) -> None:
    head, _, text = path.read_text().partition("\n---\n")
    told = dict(line.split(": ", 1) for line in head.splitlines())
    kind, language = told.pop("type"), told.pop("language")
    paper = page(text)
    assert classify_type([paper], "application/pdf").kind == kind
    found = values(fields_of(kind, [paper], language))
    assert {name: found.get(name, _NOT_SAID) for name in told} == told


def test_the_sample_invoice_as_a_pdf(tmp_path: Path) -> None:
    path = tmp_path / "invoice.pdf"
    path.write_bytes(dict(sample_documents())["invoice-2025-0417.pdf"])
    found = values(fields_of("invoice", pdf.read(path, 1).pages, "en"))
    assert (found["seller"], found["buyer"]) == ("Northwind Chandlery GmbH", "Sailing School Albatross")
    assert (found["net"], found["tax"], found["total"]) == ("643.80", "122.32", "766.12")
    assert (found["date"], found["due_date"], found["number"]) == ("2025-04-17", "2025-05-01", "2025-0417")
