"""Extract: the text of the document, page by page, with word boxes if the format has them."""

from __future__ import annotations

from pathlib import Path

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText, FetchedFile, Source
from docyard.model.stages import Stage, StageInput
from docyard.model.text.pages import SCAN, Page
from docyard.readers import formats, text
from docyard.readers.attachment_limits import limit_attachments
from docyard.readers.image_types import IMAGE_TYPES


def run(inputs: StageInput) -> ExtractedText:
    """Read the file with the reader for its type; raise Reject if there is no reader."""
    source, media_type = inputs.get(Source), inputs.get(FetchedFile).media_type
    path = source.path
    if media_type == formats.PDF:
        found = _read_pdf(source.unlocked or path, inputs.limits)
        return limit_attachments(found, source.depth, inputs.limits)
    if media_type in IMAGE_TYPES:
        return _read_image(path, media_type, inputs.limits)
    if formats.is_supported(media_type):
        return limit_attachments(formats.read(path, media_type, inputs.limits), source.depth, inputs.limits)
    if media_type.startswith("text/"):
        return _read_text(path, inputs.limits)
    formats.reject_unsupported(media_type)
    raise Reject("unsupported_file_type", "Files of this type are stored, but their text cannot be read.")


def _read_text(path: Path, limits: Limits) -> ExtractedText:
    file = text.read(path, limits.text_page_chars, limits.pages)
    notes = (f"Only the first {limits.pages:,} pages were read.",) if file.truncated else ()
    return ExtractedText(file.pages, notes=notes)


def _read_image(path: Path, media_type: str, limits: Limits) -> ExtractedText:
    """Return pages without text, which are read by OCR later."""
    from docyard.readers.images import reader as images

    file = images.read_page_sizes(path, media_type, limits.pages)
    pages = tuple(
        Page(number, "", sheet.width, sheet.height, source=SCAN) for number, sheet in enumerate(file.pages, start=1)
    )
    cut = file.page_count > limits.pages
    return ExtractedText(pages, notes=(_make_page_limit_note(limits.pages, file.page_count),) if cut else ())


def _read_pdf(path: Path, limits: Limits) -> ExtractedText:
    from docyard.readers.pdf import attachments as pdf_inside
    from docyard.readers.pdf import reader as pdf

    file = pdf.read(path, limits.pages)
    if file.unreadable_count == len(file.pages):
        raise Reject("corrupt", "The PDF is damaged: none of its pages can be read.")
    files, notes = pdf_inside.list_attachments(path, limits, file.page_files)
    notes = [*_make_pdf_notes(file.page_count, file.unreadable_count, limits.pages), *notes]
    return ExtractedText(file.pages, file.title, tuple(notes), tuple(files))


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
    inputs=(Source, FetchedFile),
    output=ExtractedText,
    run=run,
    label="Extract",
    activity="Reading the text",
    required=True,
)
