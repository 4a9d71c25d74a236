"""What a document says about the fields of its type, each with the place that says it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from docyard.facts.fields.contract.contract import contract_fields
from docyard.facts.fields.court.court import court_fields
from docyard.facts.fields.invoice.invoice import invoice_fields
from docyard.facts.fields.layout.document_text import one_line
from docyard.facts.fields.message import message_fields
from docyard.facts.fields.work_order import work_order_fields
from docyard.facts.notation.conventions import Conventions
from docyard.model.facts import FieldValue
from docyard.model.text.pages import Page

_BILLS = ("invoice", "receipt", "purchase_order")
_OF_COURTS = ("court_opinion", "filing", "court_list")
_PLAIN = {"email": message_fields, "work_order": work_order_fields}


def fields_of(kind: str | None, pages: Sequence[Page], conventions: Conventions) -> tuple[FieldValue, ...]:
    """The fields of a document of this type; none where its type has none or is not known."""
    texts = {page.number: page.text for page in pages}
    found = (_grounded(field, texts) for field in _found(kind, pages, conventions))
    return tuple(field for field in found if field is not None)


def _found(kind: str | None, pages: Sequence[Page], conventions: Conventions) -> Iterable[FieldValue]:
    if kind in _BILLS:
        return invoice_fields(pages, conventions, receipt=kind == "receipt", order=kind == "purchase_order")
    if kind in _OF_COURTS:
        return court_fields(pages, conventions, listing=kind == "court_list")
    if kind == "contract":
        return contract_fields(pages, conventions)
    reader = _PLAIN.get(kind or "")
    return reader(pages, conventions) if reader is not None else ()


def _grounded(field: FieldValue, texts: dict[int, str]) -> FieldValue | None:
    """The field with exactly the text of its place; None where words from several places were put"
    " together."""
    if field.span is None:
        return field
    text = texts[field.span.page][field.span.start : field.span.end]
    return replace(field, value=text) if one_line(text) == one_line(field.value) else None
