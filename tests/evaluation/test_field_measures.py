"""Tests of the evaluation of fields and types."""

from __future__ import annotations

import json
from pathlib import Path

from docyard.model.facts import FieldValue
from docyard.model.stage_values import Classification, ExtractedText, FetchedFile, Source
from docyard.model.text.pages import Page
from docyard.pipeline.direct import FileResult
from eval import field_truths, fields
from eval.baselines import plain_bill, plain_contract, plain_court
from eval.corpus import Sample
from eval.measurement import Run
from eval.types import types
from tests.builders.e_invoices import make_cii

SLIP = "CORNER SHOP\n12.04.2024\nTea 3.20\nTotal 3.20\nCash 5.00\nChange 1.80\nThank you"


def processed(path: Path, text: str, kind: str | None) -> FileResult:
    classified = Classification(None, "en", kind, 0.95)
    values = (
        Source(path, path.name, None, None),
        FetchedFile("text/plain", 1, ""),
        ExtractedText((Page(1, text),)),
        classified,
    )
    return FileResult(path, values, None)


def test_reads_ground_truths(tmp_path: Path) -> None:
    key = tmp_path / "key.json"
    key.write_text(json.dumps({"company": "CORNER SHOP", "date": "12 APR 2024", "total": "$3.20"}))
    truth = field_truths.receipt_truth(Sample(tmp_path / "a.jpg", "receipt-scan", "receipts", (key,)))
    assert truth == {"seller": "CORNER SHOP", "date": "2024-04-12", "total": "3.20"}
    xml = tmp_path / "a.xml"
    xml.write_bytes(make_cii())
    truth = field_truths.xml_truth(xml)
    assert (truth["number"], truth["date"], truth["due_date"], truth["total"]) == (
        *("R-2026-17", "2026-03-16", "2026-04-15"),
        "119.00",
    )
    clauses = tmp_path / "clauses.csv"
    clauses.write_text(
        "Filename,Parties-Answer,Effective Date-Answer,Expiration Date-Answer,Governing Law-Answer\n"
        'A_b.pdf,"Mole Ltd (""Mole""); Ann Fisher; (collectively ""Parties"")",5/3/2020,perpetual,New York\n'
    )
    assert field_truths.contract_truths(tmp_path)["abpdf"] == {
        "party": ["Mole Ltd", "Ann Fisher"],
        "effective_date": ["2020-05-03"],
        "expiration_date": [],
        "governing_law": ["New York"],
    }


def test_counts_correct_fields_of_receipts(tmp_path: Path) -> None:
    run = Run()
    for number, total in enumerate(("3.20", "9.99")):
        key = tmp_path / f"{number}.json"
        key.write_text(json.dumps({"company": "Corner Shop", "date": "12/04/2024", "total": total}))
        sample = Sample(tmp_path / f"{number}.jpg", "receipt-scan", "receipts", (key,))
        run.processed.append((sample, processed(sample.path, SLIP, "receipt")))
    body = fields.bills(run)
    assert "| receipts, half A | total | 1 | 1.000" in body
    assert "| receipts, half B | total | 1 | 0.000" in body
    assert "| receipts, half B | date | 1 | 1.000" in body


def test_baselines_find_simple_fields() -> None:
    assert plain_bill(SLIP) == {"seller": "CORNER SHOP", "date": "2024-04-12", "number": "", "total": "3.20"}
    text = "made between Mole Ltd, a company, and Ann Fisher, effective May 3, 2020 under the laws of Ohio."
    found = plain_contract(text)
    assert found["party"] == ["Mole Ltd", "Ann Fisher"]
    assert (found["effective_date"], found["governing_law"]) == (["2020-05-03"], ["Ohio"])
    assert plain_court("No. 11-1136, filed 02/22/12") == {"docket": {"11-1136"}, "date": {"2012-02-22"}}


def test_counts_types_by_folder(tmp_path: Path) -> None:
    run = Run()
    for kind, answer in (
        ("receipt-scan", "receipt"),
        ("receipt-scan", "invoice"),
        ("court-pdf", "filing"),
        ("pdf", None),
    ):
        sample = Sample(tmp_path / "a", kind, "x")
        run.processed.append((sample, processed(sample.path, SLIP, answer)))
    body = types(run)
    assert "| Docyard | 3 | 0.667" in body
    assert "| receipt |  | 1 | 1 |" in body
    assert "Of 1 files whose kind does not determine a type, 1 are 'not sure'." in body


def test_compares_the_first_value_of_each_field() -> None:
    both = (FieldValue("total", "1", "1.00", 0.9, "rule"), FieldValue("total", "2", "2.00", 0.9, "rule"))
    assert fields.first_values(both) == {"total": "1.00"}
