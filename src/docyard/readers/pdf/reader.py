"""Text, word boxes and page images of PDF files, read with pdfium.

pdfium is not thread-safe and parses untrusted files, so it runs only in confined child processes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2

from docyard.errors import Reject
from docyard.model.text.blocks import unpack_blocks
from docyard.model.text.pages import SCAN, TEXT, Page
from docyard.readers.pdf.annotations import read_annotations
from docyard.readers.pdf.blocks import Layout, build_layout, find_blocks
from docyard.readers.pdf.columns import find_reading_order
from docyard.readers.pdf.document import open_document
from docyard.readers.pdf.form_values import (
    PageOverlay,
    add_form_values,
    append_remarks,
    open_filled_page,
    order_form_values,
)
from docyard.readers.pdf.ligatures import fix_ligature_order
from docyard.readers.pdf.pdfium_calls import OpenPage, close_pages, count_objects, open_page
from docyard.readers.pdf.tables import find_tables
from docyard.readers.pdf.text_quality import is_scan
from docyard.readers.pdf.text_runs import TextRuns, find_text_runs, mark_bold, reorder_runs
from docyard.readers.pdf.words import Words, read_words
from docyard.readers.pdf.xfa import read_xfa_values
from docyard.readers.progress import report_page
from docyard.readers.text import remove_invalid_characters

MAX_PIXELS = 4_000_000
_MAX_SCALE = 300 / 72
# Limits of a batch of open pages, to bound memory: pages, and characters plus page objects.
_MAX_BATCH_PAGES, _MAX_BATCH_WEIGHT = 8, 40_000


@dataclass(frozen=True, slots=True)
class PdfText:
    """The pages of a PDF up to the limit, its title, its total page count and the number of unreadable pages.

    `page_files` contains the page index and annotation index of each file that is attached to a page.
    """

    pages: tuple[Page, ...]
    title: str | None
    page_count: int
    unreadable_count: int
    page_files: tuple[tuple[int, int], ...] = ()


def read(path: Path, page_limit: int) -> PdfText:
    """Read the pages up to the limit: text, form values, remarks, word boxes and blocks.

    An unreadable page is empty.
    """
    with open_document(path) as document:
        count = len(document)
        wanted = min(count, page_limit)
        overlays: dict[int, PageOverlay] = {}
        read_pages = list(_read_pages(document, wanted, overlays))
        if values := read_xfa_values(document):
            overlays[0] = add_form_values(overlays.get(0), values)
        blocks = find_blocks([page[1] if page else None for page in read_pages])
        pages = tuple(
            append_remarks(page[0], page_blocks, overlays.get(index)) if page else Page(index + 1, "")
            for index, (page, page_blocks) in enumerate(zip(read_pages, blocks, strict=True))
        )
        page_files = tuple(
            (index, annotation_index)
            for index, overlay in overlays.items()
            for annotation_index in overlay.annotations.file_indexes
        )
        return PdfText(pages, _read_title(document), count, read_pages.count(None), page_files)


def render_png(path: Path, number: int, width: int) -> bytes:
    """Render the page as a PNG about `width` pixels wide, or narrower to stay within `MAX_PIXELS`."""
    with open_document(path) as document:
        if not 1 <= number <= len(document):
            raise Reject("not_found", f"The PDF has no page {number}.")
        document.init_forms()  # otherwise form values would not be drawn
        try:
            return _render_png(document[number - 1], width)
        except pypdfium2.PdfiumError as error:
            raise Reject("corrupt", f"Page {number} of the PDF is damaged.") from error


def render_image(path: Path, number: int, longest: int) -> Any:
    """Render the page as an RGB image, `longest` pixels on its longer side but at most 300 dpi."""
    with open_document(path) as document:
        if not 1 <= number <= len(document):
            raise Reject("not_found", f"The PDF has no page {number}.")
        document.init_forms()
        try:
            page = document[number - 1]
            scale = min(longest / max(*page.get_size(), 1.0), _MAX_SCALE)
            return page.render(scale=scale).to_pil().convert("RGB")
        except pypdfium2.PdfiumError as error:
            raise Reject("corrupt", f"Page {number} of the PDF is damaged.") from error


def add_remarks(path: Path, page: Page) -> Page:
    """Return a page read by OCR with the remarks of the PDF page appended to its text."""
    with open_document(path) as document:
        opened = open_page(document, page.number - 1)
        overlay = PageOverlay(read_annotations(opened.handle)) if opened else None
        close_pages([opened])
    return append_remarks(page, list(unpack_blocks(page.blocks)), overlay)


PageResult = tuple[Page, Layout | None] | None


def _read_pages(document: Any, wanted: int, overlays: dict[int, PageOverlay]) -> Iterator[PageResult]:
    """Yield the first `wanted` pages, None for an unreadable one, and record annotations in `overlays`."""
    index = 0
    while index < wanted:
        batch: list[OpenPage | None] = []
        words: list[Words] = []
        try:
            weight = 0
            while index < wanted and len(batch) < _MAX_BATCH_PAGES and weight < _MAX_BATCH_WEIGHT:
                batch.append(page := open_filled_page(document, index, overlays))
                if page is not None:
                    words.append(fix_ligature_order(read_words(page), page))
                    weight += len(words[-1].text) + count_objects(page)
                index += 1
                report_page(index, wanted)
            yield from _analyse_batch(batch, words, index - len(batch), overlays)
        finally:
            close_pages(batch)


def _analyse_batch(
    batch: Sequence[OpenPage | None], words: Sequence[Words], first: int, overlays: dict[int, PageOverlay]
) -> Iterator[PageResult]:
    """Yield each page with its text in reading order, and its layout if it could be determined."""
    results = iter(zip(words, find_text_runs(words), strict=True))
    for index, page in enumerate(batch, start=first):
        yield _analyse_page(index, page, *next(results), overlays.get(index)) if page else None


def _analyse_page(
    index: int, page: OpenPage, words: Words, runs: TextRuns | None, overlay: PageOverlay | None
) -> PageResult:
    page_layout = None
    if runs is not None:
        order = order_form_values(words, runs, overlay)
        if order is not None:
            words, runs = reorder_runs(words, runs, order)
        order = find_reading_order(runs)
        if order is not None:
            words, runs = reorder_runs(words, runs, order)
        runs = mark_bold(runs, words, page.text_page)
        page_layout = build_layout(words.text, page.size[1], runs, find_tables(words, runs))
    source = SCAN if is_scan(page, words.text, len(words.starts)) else TEXT
    return Page(index + 1, words.text, *page.size, words.pack(), source=source), page_layout


def _read_title(document: Any) -> str | None:
    title = remove_invalid_characters(document.get_metadata_value("Title"))
    return " ".join(title.split()) or None


def _render_png(page: Any, width: int) -> bytes:
    page_width, height = page.get_size()
    scale = min(width / max(page_width, 1), (MAX_PIXELS / max(page_width * height, 1)) ** 0.5)
    image = page.render(scale=scale).to_pil()
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=3)  # level 6 took 50 % longer and saved nothing
    return file.getvalue()
