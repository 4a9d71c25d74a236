"""A PDF page with what people have put onto it: values stand behind their labels, remarks after the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from docyard.model.text.blocks import Block, pack_blocks
from docyard.model.text.pages import Page
from docyard.readers.pdf.annotations import Annotations, Remark, annotations_of, draw, untold
from docyard.readers.pdf.pdfium_calls import OpenPage, close_pages, count_letters, open_page
from docyard.readers.pdf.pieces import Pieces
from docyard.readers.pdf.words import Ints, Words

_SAME_ROW = 0.5  # of the smaller height
_NEAR_ROW = 1.3  # heights between the middles: fields may be far higher than their text


@dataclass(frozen=True, slots=True)
class Put:
    """What was put onto a page, and how many letters it has of its own where more were drawn."""

    annotations: Annotations
    own_letters: int | None = None


def open_filled(document: Any, index: int, put: dict[int, Put]) -> OpenPage | None:
    """A page of the document, filled in; what else is on it is kept under its index."""
    page = open_page(document, index)
    found = annotations_of(page.page) if page else Annotations()
    if page is None or found == Annotations():
        return page
    if not found.drawn:
        put[index] = Put(found)
        return page
    put[index] = Put(found, count_letters(page.letters))
    close_pages([page])
    draw(document, index)
    return open_page(document, index)


def filled_order(words: Words, pieces: Pieces, put: Put | None) -> Ints | None:
    """The order in which values follow their labels; None when nothing was filled in."""
    if put is None or put.own_letters is None:
        return None
    added = words.letters[pieces.firsts] >= put.own_letters
    own, filled = np.flatnonzero(~added), np.flatnonzero(added)
    if not len(own) or not len(filled):
        return None
    left, top = pieces.boxes[0].tolist(), pieces.boxes[1].tolist()
    places = [(int(piece), 0.0, 0.0) for piece in own]
    places += [(_label(pieces, own, piece), top[piece], left[piece]) for piece in filled.tolist()]
    ranked = sorted(range(len(places)), key=lambda at: (places[at][0], at >= len(own), *places[at][1:]))
    return np.concatenate((own, filled))[ranked]


def _label(pieces: Pieces, own: Ints, piece: int) -> int:
    """The piece of the page after which a value is read: left of it in its row, else above it."""
    left, top, right, bottom = (side[own] for side in pieces.boxes)
    x0, y0, x1, y1 = (float(side[piece]) for side in pieces.boxes)
    shared = np.minimum(bottom, y1) - np.maximum(top, y0)
    away = np.abs(bottom + top - y1 - y0) / 2
    in_row = shared > _SAME_ROW * np.minimum(bottom - top, y1 - y0)
    near = away < _NEAR_ROW * np.maximum(bottom - top, y1 - y0)
    for labels in (in_row & (left < x0), near & (right <= x0)):
        if labels.any():
            return int(own[np.where(labels, right, -np.inf).argmax()])
    above = (top < y0) & (left < x1) & (right > x0)
    above = above if above.any() else top < y0
    return int(own[np.where(above, bottom, -np.inf).argmax()]) if above.any() else -1


def with_values(put: Put | None, values: tuple[Remark, ...]) -> Put:
    """What is on a page, and the values of a form that the pages do not show."""
    put = put or Put(Annotations())
    told = replace(put.annotations, remarks=(*put.annotations.remarks, *values))
    return replace(put, annotations=told)


def with_remarks(page: Page, blocks: Sequence[Block], put: Put | None) -> Page:
    """The page with its blocks, and below them what people remarked on it."""
    lines = untold(put.annotations.remarks, page.text) if put else []
    text, found = page.text, list(blocks)
    for line in lines:
        start = len(text) + 2 if text else 0
        text = f"{text}\n\n{line}" if text else line
        if found or not page.text:  # a page without blocks is shown as it is written
            found.append(Block("paragraph", start, start + len(line)))
    return replace(page, text=text, blocks=pack_blocks(found))
