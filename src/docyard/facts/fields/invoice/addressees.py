"""Names at the head of an address: a line above a street or a town in the same column."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docyard.facts.fields.layout.labels import fold
from docyard.facts.fields.layout.rows import Cell, Row
from docyard.facts.notation.addresses import is_address
from docyard.facts.notation.dates import is_date
from docyard.facts.notation.regions import AMERICAN_STATE

_SAME_COLUMN = 12.0  # how far the left edges of two lines of an address may be apart
_TIGHT = 1.3  # heights of a line between two lines of an address
_MOST_LINES = 5
_SALUTATION = re.compile(
    r"\W*(?:herrn?|frau|mr|mrs|ms|an|to|company|firma|spett\.?le|m/s|messrs|attn\b.*|.*\battention\b.*"
    r"|z\. ?hd\b.*"
    r"|(?:preg|egr|gent)\.?(?:mo|ma|le)?\.? ?sig\.?(?:ra)?)\W*$"
)
# Yuba City, California 95991
_AMERICAN_TOWN = re.compile(rf"^[A-Z][\w.' -]{{1,30}}, (?:{AMERICAN_STATE}),? \d{{5}}(?:-\d{{4}})?$")
# Above the name in an address there may be the paper's number or day; where no gap parts them, these do.
_ABOVE = re.compile(
    r":\s{0,9}\S{0,20}\d|\b(?:invoice|rechnung\w*|facture|factura|fattura|factuur|quote) (?:no|nr|n)\b"
)

Headed = tuple[Row, Cell]


def addressees(rows: Sequence[Row]) -> list[Headed]:
    """The first line of every address, from the top down, each once."""
    return [block[0] for block in address_blocks(rows)]


def address_blocks(rows: Sequence[Row]) -> list[list[Headed]]:
    """The lines of every address from the name down, as far as they stand right below each other."""
    found: dict[int, list[Headed]] = {}
    for number, row in enumerate(rows):
        for cell in row.cells:
            if is_address(cell.text) or _AMERICAN_TOWN.search(cell.text):
                block = _block(rows, number, cell)
                if len(block) > 1:
                    found[id(block[0][1])] = block
    return list(found.values())


def _block(rows: Sequence[Row], number: int, cell: Cell) -> list[Headed]:
    """From the highest line that is no greeting down to the address."""
    block = [(rows[number], cell)]
    for row in reversed(rows[max(number - 12, 0) : number]):
        last = block[-1][0]
        if row.page != last.page or last.top - row.bottom > _TIGHT * (last.bottom - last.top):
            break
        over = [each for each in row.cells if abs(each.left - cell.left) < _SAME_COLUMN][:1]
        if over and (_ABOVE.search(fold(over[0].text)) or is_date(over[0].text)):
            break
        block += [(row, each) for each in over]
        if len(block) > _MOST_LINES or block[-1][1].text.rstrip().endswith(":"):
            break
    while len(block) > 1 and not _is_plain(block[-1][1].text):
        block.pop()
    return block[::-1]


def _is_plain(line: str) -> bool:
    folded = fold(line)
    return not line.rstrip().endswith(":") and not _SALUTATION.match(folded) and not is_address(line)
