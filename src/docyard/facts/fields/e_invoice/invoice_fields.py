"""Fields of an electronic invoice, with the spans of those values that the pages show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from docyard.errors import Reject
from docyard.facts.fields.e_invoice import xml_invoice
from docyard.facts.fields.layout.document_text import DocumentText
from docyard.facts.notation.amounts import find_amounts
from docyard.facts.notation.dates import find_dates
from docyard.facts.vocabulary import AMOUNT_FIELDS
from docyard.model.facts import FieldValue
from docyard.model.text.pages import Page

_DATE_FIELDS = ("date", "due_date")
_CONFIDENCE = 0.99


class ElectronicInvoice(NamedTuple):
    """Values of a valid electronic invoice in a file, and notes on invoices that were not used."""

    values: dict[str, str]
    notes: tuple[str, ...] = ()


def read_electronic_invoice(path: Path, media_type: str) -> ElectronicInvoice:
    """Return the electronic invoice that a file is or contains; without values if none is valid."""
    notes: list[str] = []
    for name, data in _read_candidates(path, media_type):
        try:
            invoice = xml_invoice.read(data)
        except Reject as error:
            notes += [f"The electronic invoice {name} was not used: {error}"] if _has_standard_name(name) else []
            continue
        if invoice is None:
            continue
        if not invoice.violations:
            return ElectronicInvoice(invoice.data.values, tuple(notes))
        notes.append(f"The electronic invoice {name} was not used: {'; '.join(invoice.violations)}.")
    return ElectronicInvoice({}, tuple(notes))


def _read_candidates(path: Path, media_type: str) -> Iterator[tuple[str, bytes]]:
    if media_type == "application/pdf":
        yield from xml_invoice.read_xml_attachments(path)
    elif media_type.endswith("xml") and path.stat().st_size < xml_invoice.MAX_BYTES:
        yield path.name, path.read_bytes()


def _has_standard_name(name: str) -> bool:
    """Return whether an attachment has a standard file name; errors in other XML files are ignored."""
    return name.lower() in ("factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml", "order-x.xml", "cida.xml")


def merge_fields(values: dict[str, str], shown: Sequence[FieldValue], pages: Sequence[Page]) -> tuple[FieldValue, ...]:
    """Return the fields of the XML with their spans on the pages, then fields that only the pages have."""
    document = DocumentText(pages)
    from_xml = [_locate(name, value, shown, document) for name, value in values.items()]
    from_pages = [field for field in shown if field.name not in values]
    return (*from_xml, *from_pages)


def compare_totals(values: dict[str, str], shown: Sequence[FieldValue]) -> tuple[str, ...]:
    """Return a note if the total on the pages is neither the total nor the amount due in the XML."""
    total = next((field for field in shown if field.name == "total"), None)
    if total is None or "total" not in values or values["total"] in (total.normal, total.normal.lstrip("-")):
        return ()
    is_payable = values.get("payable") == total.normal
    if is_payable:
        return ()
    totals = f"{values['total']}, but the pages seem to show {total.normal}"
    return (f"The total in the electronic invoice is {totals}.",)


def _locate(name: str, value: str, shown: Sequence[FieldValue], document: DocumentText) -> FieldValue:
    same = next((f for f in shown if f.name == name and f.normal == value and f.span is not None), None)
    if same is not None:
        return FieldValue(name, same.value, value, _CONFIDENCE, "xml", same.span)
    found = _find_range(name, value, document.text)
    if found is None:
        return FieldValue(name, value, value, _CONFIDENCE, "xml")
    return document.make_field(name, *found, value, confidence=_CONFIDENCE, source="xml")


def _find_range(name: str, value: str, text: str) -> tuple[int, int] | None:
    if name in AMOUNT_FIELDS:
        found = [each for each in find_amounts(text) if each.exact and each.normal == value]
        return (found[-1].start, found[-1].end) if found else None
    if name in _DATE_FIELDS:
        dates = [each for each in find_dates(text) if each.iso == value]
        return (dates[0].start, dates[0].end) if dates else None
    offset = text.find(value)
    return (offset, offset + len(value)) if offset >= 0 and "\n" not in value else None
