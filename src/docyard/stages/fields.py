"""Fields: what a document says about the things that documents of its type speak of, with the places."""

from __future__ import annotations

from docyard.model.stages import Given, Stage
from docyard.model.values import Classified, Extracted, Fetched, Fielded, Source

_CARRIERS = ("application/pdf", "text/xml", "application/xml")


def run(given: Given) -> Fielded:
    """Read the fields from the pages; a sound electronic invoice in the file is believed before them."""
    from docyard.facts.fields import fields_of  # its patterns take a quarter of a second to compile
    from docyard.facts.notation.evidence import read_conventions

    source, media_type = given.the(Source), given.the(Fetched).media_type
    classified, pages = given.the(Classified), given.the(Extracted).pages
    conventions = read_conventions(pages, classified.language, classified.type)
    if media_type not in _CARRIERS:
        return Fielded(fields_of(classified.type, pages, conventions))
    from docyard.facts.fields.e_invoice.invoice_fields import electronic, preferred, unseen_total

    told = electronic(source.unlocked or source.path, media_type)
    carries = bool(told.values or told.notes)
    # Whoever attaches an electronic invoice has sent one, whatever the pages look like.
    shown = fields_of("invoice" if carries else classified.type, pages, conventions)
    if not told.values:
        return Fielded(shown, told.notes)
    notes = (*told.notes, *unseen_total(told.values, shown))
    return Fielded(preferred(told.values, shown, pages), notes)


STAGE = Stage(
    name="fields",
    version=4,
    resource="cpu",
    needs=(Source, Fetched, Extracted, Classified),
    gives=Fielded,
    run=run,
    label="Fields",
    activity="Reading its fields",
)
