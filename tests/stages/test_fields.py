"""The fields stage: fields from the pages or from valid XML, and notes about invalid XML."""

from __future__ import annotations

from pathlib import Path

from docyard.model.stage_values import Classification, DocumentFields, ExtractedText
from docyard.readers.pdf import reader as pdf
from docyard.stages import fields
from tests.builders.e_invoices import UBL, make_cii, make_pdf_with_invoice
from tests.builders.stage_inputs import make_extracted, make_fetched, make_input, make_source

SHOWN = ["Harbour Works GmbH", "Invoice No. R-2026-17", "Date: 16.03.2026", "Net 100.00", "VAT 19.00", "Total 119.00"]


def read(folder: Path, lines: list[str], xml: bytes, name: str = "factur-x.xml") -> DocumentFields:
    file = make_source(folder, make_pdf_with_invoice(lines, name, xml))
    pages = pdf.read(file.path, 10).pages
    return fields.run(
        make_input(file, make_fetched("application/pdf"), ExtractedText(pages), Classification(None, "en"))
    )


def test_valid_xml_takes_precedence_and_is_located_on_the_page(tmp_path: Path) -> None:
    done = read(tmp_path, SHOWN, make_cii())
    found = {field.name: field for field in done.fields}
    assert {found[name].source for name in ("seller", "number", "date", "net", "tax", "total", "buyer")} == {"xml"}
    assert found["total"].value == "119.00"
    assert found["total"].span is not None
    assert (found["buyer"].normal, found["buyer"].span) == ("Quay Stores KG", None)
    assert done.notes == ()


def test_invalid_xml_is_noted_and_not_used(tmp_path: Path) -> None:
    done = read(tmp_path, SHOWN, make_cii(total="120.00"))
    found = {field.name: field for field in done.fields}
    assert {field.source for field in done.fields} == {"rule"}
    assert found["total"].normal == "119.00"
    assert "BR-CO-15" in done.notes[0]


def test_xml_with_entity_declarations_is_refused_and_noted(tmp_path: Path) -> None:
    done = read(tmp_path, SHOWN, b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')
    assert "factur-x.xml was not used" in done.notes[0]
    assert {field.source for field in done.fields} == {"rule"}


def test_notes_a_page_with_a_different_total(tmp_path: Path) -> None:
    done = read(tmp_path, [*SHOWN[:-1], "Total 991.00"], make_cii())
    assert any("119.00" in note and "991.00" in note for note in done.notes)
    assert {field.normal for field in done.fields if field.name == "total"} == {"119.00"}


def test_ignores_other_attachments(tmp_path: Path) -> None:
    done = read(tmp_path, SHOWN, b"<settings/>", "settings.xml")
    assert done == DocumentFields(())


def test_reads_an_xml_file(tmp_path: Path) -> None:
    file = make_source(tmp_path, UBL)
    done = fields.run(
        make_input(file, make_fetched("text/xml"), make_extracted(UBL.decode()), Classification(None, None))
    )
    assert {field.normal for field in done.fields if field.name == "seller"} == {"Tide Mills Ltd"}


def test_reads_the_fields_of_the_classified_type(tmp_path: Path) -> None:
    pages = make_extracted("From: Ann\nTo: Bob\nSubject: Berth 7")
    classified = Classification(None, None, "email")
    done = fields.run(make_input(make_source(tmp_path, b""), make_fetched("message/rfc822"), pages, classified))
    assert [field.name for field in done.fields] == ["from", "to", "subject"]
