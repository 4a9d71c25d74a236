"""Extract: the text of the document, page by page, with word boxes if the format has them."""

from __future__ import annotations

from pathlib import Path

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.stage_values import Extracted, Fetched, Source
from docyard.model.stages import Given, Stage
from docyard.model.text.pages import SCAN, Page
from docyard.readers import formats, text
from docyard.readers.attachment_limits import within_limits
from docyard.readers.image_types import PICTURES


def run(given: Given) -> Extracted:
    """Read the file with the reader for its type; raise Reject if there is no reader."""
    source, media_type = given.the(Source), given.the(Fetched).media_type
    path = source.path
    if media_type == formats.PDF:
        found = _read_pdf(source.unlocked or path, given.limits)
        return within_limits(found, source.depth, given.limits)
    if media_type in PICTURES:
        return _read_image(path, media_type, given.limits)
    if formats.reads(media_type):
        return within_limits(formats.read(path, media_type, given.limits), source.depth, given.limits)
    if media_type.startswith("text/"):
        return _read_text(path, given.limits)
    formats.refuse(media_type)
    raise Reject("unsupported_file_type", "This type of file is stored but not read yet.")


def _read_text(path: Path, limits: Limits) -> Extracted:
    file = text.read(path, limits.text_page_chars, limits.pages)
    notes = (f"Only the first {limits.pages:,} pages were read.",) if file.cut else ()
    return Extracted(file.pages, notes=notes)


def _read_image(path: Path, media_type: str, limits: Limits) -> Extracted:
    """Return pages without text, which are read by OCR later."""
    from docyard.readers.images import reader as images

    file = images.survey(path, media_type, limits.pages)
    pages = tuple(
        Page(number, "", sheet.width, sheet.height, source=SCAN)
        for number, sheet in enumerate(file.sheets, start=1)
    )
    cut = file.count > limits.pages
    return Extracted(pages, notes=(_make_page_limit_note(limits.pages, file.count),) if cut else ())


def _read_pdf(path: Path, limits: Limits) -> Extracted:
    from docyard.readers.pdf import attachments as pdf_inside
    from docyard.readers.pdf import reader as pdf

    file = pdf.read(path, limits.pages)
    if file.unreadable == len(file.pages):
        raise Reject("corrupt", "The PDF is damaged: none of its pages can be read.")
    files, notes = pdf_inside.listed(path, limits, file.pinned)
    notes = [*_make_pdf_notes(file.page_count, file.unreadable, limits.pages), *notes]
    return Extracted(file.pages, file.title, tuple(notes), tuple(files))


def _make_pdf_notes(page_count: int, unreadable: int, limit: int) -> list[str]:
    notes = []
    if page_count > limit:
        notes.append(_make_page_limit_note(limit, page_count))
    if unreadable:
        notes.append(f"{unreadable:,} of {min(page_count, limit):,} pages could not be read.")
    return notes


def _make_page_limit_note(limit: int, page_count: int) -> str:
    return f"Only the first {limit:,} of {page_count:,} pages were read."


STAGE = Stage(
    name="extract",
    version=4,
    resource="cpu",
    needs=(Source, Fetched),
    gives=Extracted,
    run=run,
    label="Extract",
    activity="Reading the text",
)
