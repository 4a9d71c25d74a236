"""Fields of a document, depending on its type, each with the span that states its value unless it comes from XML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from docyard.facts.fields.contract.contract import read_contract_fields
from docyard.facts.fields.court.court import read_court_fields
from docyard.facts.fields.invoice.invoice import read_invoice_fields
from docyard.facts.fields.layout.document_text import collapse_whitespace
from docyard.facts.fields.message import read_message_fields
from docyard.facts.fields.work_order import read_work_order_fields
from docyard.facts.notation.conventions import Conventions
from docyard.model.facts import FieldValue
from docyard.model.text.pages import Page

_INVOICE_TYPES = ("invoice", "receipt", "purchase_order")
_COURT_TYPES = ("court_opinion", "filing", "court_list")
_OTHER_READERS = {"email": read_message_fields, "work_order": read_work_order_fields}


def read_fields(kind: str | None, pages: Sequence[Page], conventions: Conventions) -> tuple[FieldValue, ...]:
    """Return the fields of a document of this type; empty if the type is unknown or has no fields."""
    texts = {page.number: page.text for page in pages}
    found = (_align_with_text(field, texts) for field in _find_fields(kind, pages, conventions))
    return tuple(field for field in found if field is not None)


def _find_fields(kind: str | None, pages: Sequence[Page], conventions: Conventions) -> Iterable[FieldValue]:
    if kind in _INVOICE_TYPES:
        return read_invoice_fields(pages, conventions, receipt=kind == "receipt", order=kind == "purchase_order")
    if kind in _COURT_TYPES:
        return read_court_fields(pages, conventions, listing=kind == "court_list")
    if kind == "contract":
        return read_contract_fields(pages, conventions)
    reader = _OTHER_READERS.get(kind or "")
    return reader(pages, conventions) if reader is not None else ()


def _align_with_text(field: FieldValue, texts: dict[int, str]) -> FieldValue | None:
    """Return the field with exactly the text of its span; None if they differ in more than white space."""
    if field.span is None:
        return field
    text = texts[field.span.page][field.span.start : field.span.end]
    return replace(field, value=text) if collapse_whitespace(text) == collapse_whitespace(field.value) else None
