"""Form values and remarks of PDF pages: values follow their labels, remarks follow the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from docyard.model.text.blocks import Block, pack_blocks
from docyard.model.text.pages import Page
from docyard.readers.pdf.annotations import (
    Annotations,
    Remark,
    find_missing_remarks,
    flatten_annotations,
    read_annotations,
)
from docyard.readers.pdf.pdfium_calls import OpenPage, close_pages, count_characters, open_page
from docyard.readers.pdf.text_runs import TextRuns
from docyard.readers.pdf.words import Ints, Words

_MIN_OVERLAP = 0.5  # vertical overlap as a share of the smaller height
_MAX_DISTANCE = 1.3  # vertical distance of the centres as a multiple of the larger height


@dataclass(frozen=True, slots=True)
class PageOverlay:
    """The annotations of a page, and the page's character count without them.

    The count is None if no annotations were drawn into the page.
    """

    annotations: Annotations
    own_char_count: int | None = None


def open_filled_page(document: Any, index: int, overlays: dict[int, PageOverlay]) -> OpenPage | None:
    """Open a page with its form values drawn, and record its annotations in `overlays`.

    Return None if the page cannot be read.
    """
    page = open_page(document, index)
    found = read_annotations(page.handle) if page else Annotations()
    if page is None or found == Annotations():
        return page
    if not found.has_drawn_text:
        overlays[index] = PageOverlay(found)
        return page
    overlays[index] = PageOverlay(found, count_characters(page.text_page))
    close_pages([page])
    flatten_annotations(document, index)
    return open_page(document, index)


def order_form_values(words: Words, runs: TextRuns, overlay: PageOverlay | None) -> Ints | None:
    """Return the order of text runs in which values follow their labels; None if no values were drawn."""
    if overlay is None or overlay.own_char_count is None:
        return None
    is_value = words.first_chars[runs.first_words] >= overlay.own_char_count
    own, values = np.flatnonzero(~is_value), np.flatnonzero(is_value)
    if not len(own) or not len(values):
        return None
    left, top = runs.boxes[0].tolist(), runs.boxes[1].tolist()
    sort_keys = [(int(run), 0.0, 0.0) for run in own]
    sort_keys += [(_find_label(runs, own, run), top[run], left[run]) for run in values.tolist()]
    order = sorted(
        range(len(sort_keys)), key=lambda index: (sort_keys[index][0], index >= len(own), *sort_keys[index][1:])
    )
    return np.concatenate((own, values))[order]


def _find_label(runs: TextRuns, own: Ints, run: int) -> int:
    """Return the text run that a value follows: the one to its left, else above it; -1 if neither exists."""
    left, top, right, bottom = (side[own] for side in runs.boxes)
    x0, y0, x1, y1 = (float(side[run]) for side in runs.boxes)
    shared = np.minimum(bottom, y1) - np.maximum(top, y0)
    distance = np.abs(bottom + top - y1 - y0) / 2
    in_row = shared > _MIN_OVERLAP * np.minimum(bottom - top, y1 - y0)
    near = distance < _MAX_DISTANCE * np.maximum(bottom - top, y1 - y0)
    for labels in (in_row & (left < x0), near & (right <= x0)):
        if labels.any():
            return int(own[np.where(labels, right, -np.inf).argmax()])
    above = (top < y0) & (left < x1) & (right > x0)
    above = above if above.any() else top < y0
    return int(own[np.where(above, bottom, -np.inf).argmax()]) if above.any() else -1


def add_form_values(overlay: PageOverlay | None, values: tuple[Remark, ...]) -> PageOverlay:
    """Return the overlay with these form values, which no page shows, added to its remarks."""
    overlay = overlay or PageOverlay(Annotations())
    extended = replace(overlay.annotations, remarks=(*overlay.annotations.remarks, *values))
    return replace(overlay, annotations=extended)


def append_remarks(page: Page, blocks: Sequence[Block], overlay: PageOverlay | None) -> Page:
    """Return the page with these blocks, and with the remarks that its text lacks appended as paragraphs."""
    lines = find_missing_remarks(overlay.annotations.remarks, page.text) if overlay else []
    text, all_blocks = page.text, list(blocks)
    for line in lines:
        start = len(text) + 2 if text else 0
        text = f"{text}\n\n{line}" if text else line
        if all_blocks or not page.text:  # do not add blocks to text without blocks
            all_blocks.append(Block("paragraph", start, start + len(line)))
    return replace(page, text=text, blocks=pack_blocks(all_blocks))
