"""Cells in the same column as a label."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docyard.facts.fields.layout.labels import fold_label
from docyard.facts.fields.layout.rows import Row


def find_cells_below(rows: Sequence[Row], label: re.Pattern[str], row_count: int) -> set[tuple[int, int]]:
    """Return page number and `id()` of cells that match a label and of those below, within `row_count` rows."""
    found: set[tuple[int, int]] = set()
    for index, row in enumerate(rows):
        for cell in row.cells:
            if not label.match(fold_label(cell.text).strip(" *-")):
                continue
            found.add((row.page, id(cell)))
            for below in rows[index + 1 : index + row_count]:
                found.update(
                    (below.page, id(each))
                    for each in below.cells
                    if each.left < max(cell.right, cell.left + 90) and each.right > cell.left - 10
                )
    return found
