"""OCR: the text of one page that is a picture, with the place of each word and how sure it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from docyard.errors import Reject
from docyard.model.stages import Given, Stage
from docyard.model.text.pages import TEXT, Page
from docyard.model.values import Extracted, Fetched, PageRead, Source
from docyard.readers.image_types import PICTURES

_MUCH_BETTER = 1.1


def run(given: Given) -> PageRead:
    """Read one page; the text it already has stays where OCR finds nothing better."""
    from docyard.ocr import chosen
    from docyard.ocr.page import page_of
    from docyard.ocr.strips import read_strips

    page = given.the(Page)
    engine = chosen(given.limits.ocr_engine)
    picture, note = _picture(given, page)
    seen = page_of(read_strips(engine, picture), page, picture.size)
    return PageRead(_remarked(given, _better(page, seen)), note)


def _remarked(given: Given, page: Page) -> Page:
    """The page with what people have remarked on it, which no picture of it shows."""
    source = given.the(Source)
    if given.the(Fetched).media_type != "application/pdf":
        return page
    from docyard.readers.pdf import reader as pdf

    return pdf.remarked(source.unlocked or source.path, page)


def _better(page: Page, seen: Page) -> Page:
    """The page as it was seen, unless its own text is as good: that one has no errors of reading."""
    from docyard.readers.pdf.quality import worth

    if page.text.strip() and worth(seen.text) <= _MUCH_BETTER * worth(page.text):
        return replace(page, source=TEXT)
    return seen


def _picture(given: Given, page: Page) -> tuple[Any, str | None]:
    """The page in RGB, and what is wrong with it."""
    from docyard.ocr.strips import length_for
    from docyard.readers.images import reader as images
    from docyard.readers.pdf import reader as pdf

    longest = length_for(page.width, page.height, images.FIT)
    source, media_type = given.the(Source), given.the(Fetched).media_type
    if media_type == "application/pdf":
        return pdf.picture(source.unlocked or source.path, page.number, longest), None
    if media_type in PICTURES:
        opened = images.open_page(source.path, media_type, page.number, longest)
        return opened.image, opened.note
    raise Reject("unsupported_file_type", f"Pages of {media_type} files cannot be read as pictures.")


STAGE = Stage(
    name="ocr",
    version=1,
    resource="ocr",
    needs=(Source, Fetched, Extracted),
    gives=Extracted,
    run=run,
    label="OCR",
    activity="Reading scanned pages",
    each_page=True,
)
