"""Electronic invoices in XML, and the rules that an invalid one breaks.

ZUGFeRD, Factur-X, XRechnung and Order-X use the elements of CII (`cii.py`), Peppol and XRechnung those of UBL
(`ubl.py`). The XML is a separate file or is attached to a PDF that shows the same data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docyard.errors import Reject
from docyard.facts.fields.e_invoice import cii, ubl
from docyard.facts.fields.e_invoice.en16931_rules import InvoiceData, find_violations
from docyard.readers.xml_tree import local_name, parse

MAX_BYTES = 20 << 20
_READERS = {
    "CrossIndustryInvoice": cii.read,
    "CrossIndustryDocument": cii.read,  # ZUGFeRD 1
    "SCRDMCCBDACIOMessageStructure": cii.read,  # Order-X
    "Invoice": ubl.read,
    "CreditNote": ubl.read,
}
_UBL_NAMESPACE = "urn:oasis:names:specification:ubl"


@dataclass(frozen=True, slots=True)
class CheckedInvoice:
    """The data of an electronic invoice; `violations` are the rules that it breaks."""

    data: InvoiceData
    violations: tuple[str, ...] = ()


def read(data: bytes) -> CheckedInvoice | None:
    """Parse and check an electronic invoice; return None for other XML, raise Reject for unreadable data."""
    if len(data) > MAX_BYTES:
        raise Reject("validation", f"The XML is larger than {MAX_BYTES >> 20} MB, the limit for electronic invoices.")
    root = parse(data)
    reader = _READERS.get(local_name(root))
    if reader is None or (reader is ubl.read and _UBL_NAMESPACE not in root.tag):
        return None
    invoice = reader(root)
    return CheckedInvoice(invoice, tuple(find_violations(invoice)))


def read_xml_attachments(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each XML file attached to a PDF."""
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    try:
        for index in range(document.count_attachments()):
            try:
                attachment = document.get_attachment(index)
                name = attachment.get_name()
                data = bytes(attachment.get_data()) if name.lower().endswith(".xml") else None
            except (pypdfium2.PdfiumError, UnicodeError):
                continue  # damaged; the extract stage has added a note
            if data is not None:
                yield name, data
    finally:
        document.close()
