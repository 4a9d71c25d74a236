"""Electronic invoices: what the XML of EN 16931 says, and why it is not believed where it breaks the rules.

ZUGFeRD, Factur-X, XRechnung and Order-X use the elements of CII (`cii.py`), Peppol and XRechnung those of UBL
(`ubl.py`). The XML stands alone or is attached to a PDF that shows the same to people.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docyard.errors import Reject
from docyard.facts.fields.e_invoice import cii, ubl
from docyard.facts.fields.e_invoice.en16931_rules import Told, problems
from docyard.readers.xml_tree import local, parse

MOST_BYTES = 20 << 20
_READERS = {
    "CrossIndustryInvoice": cii.read,
    "CrossIndustryDocument": cii.read,  # ZUGFeRD 1
    "SCRDMCCBDACIOMessageStructure": cii.read,  # Order-X
    "Invoice": ubl.read,
    "CreditNote": ubl.read,
}
_UBL_NAMESPACE = "urn:oasis:names:specification:ubl"


@dataclass(frozen=True, slots=True)
class EInvoice:
    """What an electronic invoice says; `problems` are the reasons not to believe it."""

    told: Told
    problems: tuple[str, ...] = ()


def read(data: bytes) -> EInvoice | None:
    """The invoice of these bytes; None where they hold other XML; Reject where they are no XML to be read."""
    if len(data) > MOST_BYTES:
        raise Reject("validation", "The XML is larger than an invoice can be.")
    root = parse(data)
    reader = _READERS.get(local(root))
    if reader is None or (reader is ubl.read and _UBL_NAMESPACE not in root.tag):
        return None
    told = reader(root)
    return EInvoice(told, tuple(problems(told)))


def attached(path: Path) -> Iterator[tuple[str, bytes]]:
    """The name and bytes of each XML file attached to a PDF."""
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    try:
        for index in range(document.count_attachments()):
            try:
                attachment = document.get_attachment(index)
                name = attachment.get_name()
                data = bytes(attachment.get_data()) if name.lower().endswith(".xml") else None
            except (pypdfium2.PdfiumError, UnicodeError):
                continue  # a damaged one, of which a note tells already
            if data is not None:
                yield name, data
    finally:
        document.close()
