"""What stands in the same column as a label."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docyard.facts.fields.layout.labels import fold
from docyard.facts.fields.layout.rows import Row


def cells_below(rows: Sequence[Row], label: re.Pattern[str], most: int) -> set[tuple[int, int]]:
    """Cells with such a label, and those in the same column within a few rows below it."""
    found: set[tuple[int, int]] = set()
    for number, row in enumerate(rows):
        for cell in row.cells:
            if not label.match(fold(cell.text).strip(" *-")):
                continue
            found.add((row.page, id(cell)))
            for below in rows[number + 1 : number + most]:
                found.update(
                    (below.page, id(each))
                    for each in below.cells
                    if each.left < max(cell.right, cell.left + 90) and each.right > cell.left - 10
                )
    return found
