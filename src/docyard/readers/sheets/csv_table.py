"""Tables written as text, with commas, semicolons, tabs or bars between the cells, as Markdown."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from docyard.model.limits import Limits
from docyard.model.values import Extracted
from docyard.readers import markdown, text

_DELIMITERS = ",;\t|"
_LOOKED_AT = 50  # lines that tell which one it is
_MOST_FILLED = 1000  # columns


def read(path: Path, limits: Limits) -> Extracted:
    """The table; a file that is none, or whose quotes do not close, as plain text."""
    with text.opened(path) as stream:
        lines = (text.clean(line) for line in stream)
        head = list(islice(lines, _LOOKED_AT))
        delimiter = _delimiter(head)
        if delimiter is not None:
            try:
                return markdown.extracted(_blocks(chain(head, lines), delimiter, limits), limits)
            except csv.Error:
                pass
    plain = text.read(path, limits.text_page_chars, limits.pages)
    notes = (f"Only the first {limits.pages:,} pages were read.",) if plain.cut else ()
    return Extracted(plain.pages, notes=notes)


def _delimiter(head: list[str]) -> str | None:
    """The one that cuts most lines into the same number of cells."""
    best, delimiter = 0.0, None
    for each in _DELIMITERS:
        try:
            widths = Counter(len(row) for row in csv.reader(head, delimiter=each) if row)
        except csv.Error:
            continue
        width, rows = max(widths.items(), key=lambda pair: pair[1], default=(0, 0))
        score = rows / max(1, widths.total()) + width / 1000
        if width > 1 and score > best and rows * 2 > widths.total():
            best, delimiter = score, each
    return delimiter


def _blocks(lines: Iterable[str], delimiter: str, limits: Limits) -> Iterator[str]:
    rows = (row for row in csv.reader(lines, delimiter=delimiter) if any(cell.strip() for cell in row))
    first = list(islice(rows, _LOOKED_AT))
    if first and first[0][0] == "sep=":  # a word to the program that opens it
        first.pop(0)
    # Lines above the table may be shorter than it, and viewers cut rows that are longer than the first.
    width = max(map(len, first), default=0)
    least = width if width <= _MOST_FILLED else 0  # one long row must not make all others as long
    header = [markdown.table_row(row, width) for row in first[:1]]
    others = (markdown.table_row(row, least) for row in chain(first[1:], rows))
    return markdown.table_blocks(chain(header, others), limits.text_page_chars)
