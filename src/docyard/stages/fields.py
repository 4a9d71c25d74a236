"""Fields: the values that a document states for the fields of its type, with their spans."""

from __future__ import annotations

from docyard.model.stage_values import Classification, DocumentFields, ExtractedText, FetchedFile, Source
from docyard.model.stages import Stage, StageInput

_E_INVOICE_FORMATS = ("application/pdf", "text/xml", "application/xml")


def run(inputs: StageInput) -> DocumentFields:
    """Read the fields from the pages; the values of a valid electronic invoice take precedence."""
    from docyard.facts.fields import read_fields  # its patterns take a quarter of a second to compile
    from docyard.facts.notation.evidence import read_conventions

    source, media_type = inputs.get(Source), inputs.get(FetchedFile).media_type
    classified, pages = inputs.get(Classification), inputs.get(ExtractedText).pages
    conventions = read_conventions(pages, classified.language, classified.type)
    if media_type not in _E_INVOICE_FORMATS:
        return DocumentFields(read_fields(classified.type, pages, conventions))
    from docyard.facts.fields.e_invoice.invoice_fields import compare_totals, merge_fields, read_electronic_invoice

    invoice = read_electronic_invoice(source.unlocked or source.path, media_type)
    has_invoice = bool(invoice.values or invoice.notes)
    # A file with an electronic invoice is an invoice, regardless of how its pages look.
    shown = read_fields("invoice" if has_invoice else classified.type, pages, conventions)
    if not invoice.values:
        return DocumentFields(shown, invoice.notes)
    notes = (*invoice.notes, *compare_totals(invoice.values, shown))
    return DocumentFields(merge_fields(invoice.values, shown, pages), notes)


STAGE = Stage(
    name="fields",
    version=5,
    resource="cpu",
    inputs=(Source, FetchedFile, ExtractedText, Classification),
    output=DocumentFields,
    run=run,
    label="Fields",
    activity="Extracting fields",
)
