"""Text, word boxes and page images of PDF files, by pdfium.

pdfium is not thread-safe and reads files nobody has checked: it only runs inside confined children.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from docyard.errors import Reject
from docyard.model.text.blocks import unpack_blocks
from docyard.model.text.pages import SCAN, TEXT, Page
from docyard.readers.pdf.annotations import annotations_of
from docyard.readers.pdf.blocks import Layout, layout, structure
from docyard.readers.pdf.columns import reading_order
from docyard.readers.pdf.form_values import Put, filled_order, open_filled, with_remarks, with_values
from docyard.readers.pdf.ligatures import in_reading_order
from docyard.readers.pdf.pdfium_calls import OpenPage, close_pages, count_objects, open_page
from docyard.readers.pdf.pieces import Pieces, in_order, pieces_of, with_fonts
from docyard.readers.pdf.quality import is_scan
from docyard.readers.pdf.tables import tables_of
from docyard.readers.pdf.words import Words, read_words
from docyard.readers.pdf.xfa import xfa_values
from docyard.readers.progress import report
from docyard.readers.text import clean

MOST_PIXELS = 4_000_000
_FINEST = 300 / 72
_MOST_IN_MEMORY = 32 << 20
# Pages are looked at together, as many as are open at once: letters and drawn things take room.
_MOST_OPEN, _HEAVY = 8, 40_000
_LOCKED = {
    pdfium.FPDF_ERR_PASSWORD: "The PDF needs a password.",
    pdfium.FPDF_ERR_SECURITY: "The PDF is protected by a method that cannot be opened here.",
}


@dataclass(frozen=True, slots=True)
class PdfText:
    """What was read of a PDF: its pages, its title, how many pages it has and how many were unreadable.

    Files that are pinned to pages are told by page and place, both counted from nought.
    """

    pages: tuple[Page, ...]
    title: str | None
    page_count: int
    unreadable: int
    pinned: tuple[tuple[int, int], ...] = ()


def read(path: Path, page_limit: int) -> PdfText:
    """The text of every page with the boxes of its words; a page that cannot be read comes back empty."""
    with _opened(path) as document:
        count = len(document)
        wanted = min(count, page_limit)
        put: dict[int, Put] = {}
        read_pages = list(_read_pages(document, wanted, put))
        if values := xfa_values(document):
            put[0] = with_values(put.get(0), values)
        blocks = structure([page[1] if page else None for page in read_pages])
        pages = tuple(
            with_remarks(page[0], found, put.get(index)) if page else Page(index + 1, "")
            for index, (page, found) in enumerate(zip(read_pages, blocks, strict=True))
        )
        pinned = tuple((index, place) for index, each in put.items() for place in each.annotations.files)
        return PdfText(pages, _title(document), count, read_pages.count(None), pinned)


def render(path: Path, number: int, width: int) -> bytes:
    """The page as a PNG of about that many pixels across, fewer where it would grow too large."""
    with _opened(path) as document:
        if not 1 <= number <= len(document):
            raise Reject("not_found", f"The PDF has no page {number}.")
        document.init_forms()  # otherwise what people filled in would not be drawn
        try:
            return _png(document[number - 1], width)
        except pypdfium2.PdfiumError as error:
            raise Reject("corrupt", f"Page {number} of the PDF is damaged.") from error


def picture(path: Path, number: int, longest: int) -> Any:
    """The page as a picture for OCR: so many pixels long, fewer where that is finer than scanners see."""
    with _opened(path) as document:
        if not 1 <= number <= len(document):
            raise Reject("not_found", f"The PDF has no page {number}.")
        document.init_forms()
        try:
            page = document[number - 1]
            scale = min(longest / max(*page.get_size(), 1.0), _FINEST)
            return page.render(scale=scale).to_pil().convert("RGB")
        except pypdfium2.PdfiumError as error:
            raise Reject("corrupt", f"Page {number} of the PDF is damaged.") from error


def remarked(path: Path, page: Page) -> Page:
    """A page that was read as a picture, with what people have remarked on it."""
    with _opened(path) as document:
        opened = open_page(document, page.number - 1)
        put = Put(annotations_of(opened.page)) if opened else None
        close_pages([opened])
    return with_remarks(page, list(unpack_blocks(page.blocks)), put)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        # Reading a file from memory saves pdfium a twentieth of its time.
        in_memory = path.stat().st_size <= _MOST_IN_MEMORY
        document = pypdfium2.PdfDocument(path.read_bytes() if in_memory else path)
    except pypdfium2.PdfiumError as error:
        raise _refusal(error.err_code) from error
    with closing(document):
        if len(document) < 1:
            raise Reject("corrupt", "The PDF is damaged: it has no pages.")
        yield document


def _refusal(code: int | None) -> Reject:
    if code in _LOCKED:
        return Reject("encrypted", _LOCKED[code])
    return Reject("corrupt", "The PDF is damaged or was cut off, and cannot be opened.")


Read = tuple[Page, Layout | None] | None


def _read_pages(document: Any, wanted: int, put: dict[int, Put]) -> Iterator[Read]:
    """So many pages, a sheaf of them at a time; a page that cannot be read is None."""
    index = 0
    while index < wanted:
        sheaf: list[OpenPage | None] = []
        words: list[Words] = []
        try:
            weight = 0
            while index < wanted and len(sheaf) < _MOST_OPEN and weight < _HEAVY:
                sheaf.append(page := open_filled(document, index, put))
                if page is not None:
                    words.append(in_reading_order(read_words(page), page))
                    weight += len(words[-1].text) + count_objects(page)
                index += 1
                report(index, wanted)
            yield from _laid_out(sheaf, words, index - len(sheaf), put)
        finally:
            close_pages(sheaf)


def _laid_out(
    sheaf: Sequence[OpenPage | None], words: Sequence[Words], first: int, put: dict[int, Put]
) -> Iterator[Read]:
    """Pages of which each is in reading order, with what it looks like where that can be told."""
    found = iter(zip(words, pieces_of(words), strict=True))
    for index, page in enumerate(sheaf, start=first):
        yield _page(index, page, *next(found), put.get(index)) if page else None


def _page(index: int, page: OpenPage, words: Words, pieces: Pieces | None, put: Put | None) -> Read:
    seen = None
    if pieces is not None:
        order = filled_order(words, pieces, put)
        if order is not None:
            words, pieces = in_order(words, pieces, order)
        order = reading_order(pieces)
        if order is not None:
            words, pieces = in_order(words, pieces, order)
        pieces = with_fonts(pieces, words, page.letters)
        seen = layout(words.text, page.size[1], pieces, tables_of(words, pieces))
    source = SCAN if is_scan(page, words.text, len(words.starts)) else TEXT
    return Page(index + 1, words.text, *page.size, words.packed(), source=source), seen


def _title(document: Any) -> str | None:
    title = clean(document.get_metadata_value("Title"))
    return " ".join(title.split()) or None


def _png(page: Any, width: int) -> bytes:
    across, down = page.get_size()
    scale = min(width / max(across, 1), (MOST_PIXELS / max(across * down, 1)) ** 0.5)
    image = page.render(scale=scale).to_pil()
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=3)  # level 6 took half as long again and saved nothing
    return file.getvalue()
