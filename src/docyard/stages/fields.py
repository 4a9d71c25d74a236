"""Fields: the values that a document states for the fields of its type, with their spans."""

from __future__ import annotations

from docyard.model.stage_values import Classified, Extracted, Fetched, Fielded, Source
from docyard.model.stages import Given, Stage

_E_INVOICE_FORMATS = ("application/pdf", "text/xml", "application/xml")


def run(given: Given) -> Fielded:
    """Read the fields from the pages; the values of a valid electronic invoice take precedence."""
    from docyard.facts.fields import read_fields  # its patterns take a quarter of a second to compile
    from docyard.facts.notation.evidence import read_conventions

    source, media_type = given.the(Source), given.the(Fetched).media_type
    classified, pages = given.the(Classified), given.the(Extracted).pages
    conventions = read_conventions(pages, classified.language, classified.type)
    if media_type not in _E_INVOICE_FORMATS:
        return Fielded(read_fields(classified.type, pages, conventions))
    from docyard.facts.fields.e_invoice.invoice_fields import (
        compare_totals,
        merge_fields,
        read_electronic_invoice,
    )

    invoice = read_electronic_invoice(source.unlocked or source.path, media_type)
    has_invoice = bool(invoice.values or invoice.notes)
    # A file with an electronic invoice is an invoice, regardless of how its pages look.
    shown = read_fields("invoice" if has_invoice else classified.type, pages, conventions)
    if not invoice.values:
        return Fielded(shown, invoice.notes)
    notes = (*invoice.notes, *compare_totals(invoice.values, shown))
    return Fielded(merge_fields(invoice.values, shown, pages), notes)


STAGE = Stage(
    name="fields",
    version=4,
    resource="cpu",
    needs=(Source, Fetched, Extracted, Classified),
    gives=Fielded,
    run=run,
    label="Fields",
    activity="Extracting fields",
)
