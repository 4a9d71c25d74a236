"""Text tables delimited by commas, semicolons, tabs or vertical bars, as Markdown."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText
from docyard.readers import markdown, text

_DELIMITERS = ",;\t|"
_SAMPLE_LINES = 50  # to detect the delimiter and the number of columns
_MAX_PADDED_COLUMNS = 1000  # wider tables are not padded


def read(path: Path, limits: Limits) -> ExtractedText:
    """Read a CSV file as a table; fall back to plain text if no delimiter fits or a cell is too long.

    A quote that is not closed can make a cell too long.
    """
    with text.open_text(path) as stream:
        lines = (text.remove_invalid_characters(line) for line in stream)
        sample = list(islice(lines, _SAMPLE_LINES))
        delimiter = _detect_delimiter(sample)
        if delimiter is not None:
            try:
                return markdown.build_extracted(_make_blocks(chain(sample, lines), delimiter, limits), limits)
            except csv.Error:
                pass
    plain = text.read(path, limits.text_page_chars, limits.pages)
    notes = (f"Only the first {limits.pages:,} pages were read.",) if plain.truncated else ()
    return ExtractedText(plain.pages, notes=notes)


def _detect_delimiter(sample: list[str]) -> str | None:
    """Return the delimiter that splits most lines into the same number of cells; None if none does."""
    best, delimiter = 0.0, None
    for each in _DELIMITERS:
        try:
            widths = Counter(len(row) for row in csv.reader(sample, delimiter=each) if row)
        except csv.Error:
            continue
        width, rows = max(widths.items(), key=lambda pair: pair[1], default=(0, 0))
        score = rows / max(1, widths.total()) + width / 1000
        if width > 1 and score > best and rows * 2 > widths.total():
            best, delimiter = score, each
    return delimiter


def _make_blocks(lines: Iterable[str], delimiter: str, limits: Limits) -> Iterator[str]:
    rows = (row for row in csv.reader(lines, delimiter=delimiter) if any(cell.strip() for cell in row))
    first = list(islice(rows, _SAMPLE_LINES))
    if first and first[0][0] == "sep=":  # an instruction for Excel, not data
        first.pop(0)
    # The first row may be a title with few cells. It is padded, because viewers cut other rows to its length.
    width = max(map(len, first), default=0)
    min_width = width if width <= _MAX_PADDED_COLUMNS else 0  # one long row must not pad all others
    header = [markdown.table_row(row, width) for row in first[:1]]
    others = (markdown.table_row(row, min_width) for row in chain(first[1:], rows))
    return markdown.split_table(chain(header, others), limits.text_page_chars)
