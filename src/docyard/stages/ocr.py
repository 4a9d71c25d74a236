"""OCR: the text of one scanned page, with the box and the confidence of each word."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from docyard.errors import Reject
from docyard.model.stage_values import ExtractedText, FetchedFile, OcrPage, Source
from docyard.model.stages import Stage, StageInput
from docyard.model.text.pages import TEXT, Page
from docyard.readers.image_types import IMAGE_TYPES

_MIN_IMPROVEMENT = 1.1


def run(inputs: StageInput) -> OcrPage:
    """Return one page as read by OCR; keep the text that it already has if OCR finds nothing better."""
    from docyard.ocr import select_engine
    from docyard.ocr.page import make_page
    from docyard.ocr.strips import read_strips

    page = inputs.get(Page)
    engine = select_engine(inputs.limits.ocr_engine)
    image, note = _render_page(inputs, page)
    recognised = make_page(read_strips(engine, image), page, image.size)
    return OcrPage(_add_remarks(inputs, _choose_better(page, recognised)), note)


def _add_remarks(inputs: StageInput, page: Page) -> Page:
    """Return a PDF page with its remarks, such as comments, which its image does not show."""
    source = inputs.get(Source)
    if inputs.get(FetchedFile).media_type != "application/pdf":
        return page
    from docyard.readers.pdf import reader as pdf

    return pdf.add_remarks(source.unlocked or source.path, page)


def _choose_better(page: Page, recognised: Page) -> Page:
    """Return the OCR result, unless the page already has text and OCR finds hardly more."""
    from docyard.readers.pdf.text_quality import count_plausible_characters

    if page.text.strip() and count_plausible_characters(
        recognised.text
    ) <= _MIN_IMPROVEMENT * count_plausible_characters(page.text):
        return replace(page, source=TEXT)
    return recognised


def _render_page(inputs: StageInput, page: Page) -> tuple[Any, str | None]:
    """Return the page as an RGB image, and a note if it is damaged."""
    from docyard.ocr.strips import render_length
    from docyard.readers.images import reader as images
    from docyard.readers.pdf import reader as pdf

    longest = render_length(page.width, page.height, images.MAX_OUTPUT_SIDE)
    source, media_type = inputs.get(Source), inputs.get(FetchedFile).media_type
    if media_type == "application/pdf":
        return pdf.render_image(source.unlocked or source.path, page.number, longest), None
    if media_type in IMAGE_TYPES:
        opened = images.decode_page(source.path, media_type, page.number, longest)
        return opened.image, opened.note
    raise Reject("unsupported_file_type", f"Pages of {media_type} files cannot be read by OCR.")


STAGE = Stage(
    name="ocr",
    version=1,
    resource="ocr",
    inputs=(Source, FetchedFile, ExtractedText),
    output=ExtractedText,
    run=run,
    label="OCR",
    activity="Reading scanned pages",
    required=True,
    per_page=True,
)
