"""Names at the top of postal addresses: lines above a street or a town in the same column."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docyard.facts.fields.layout.labels import fold_label
from docyard.facts.fields.layout.rows import Cell, Row
from docyard.facts.notation.addresses import is_address
from docyard.facts.notation.dates import is_date
from docyard.facts.notation.regions import AMERICAN_STATE

_SAME_COLUMN = 12.0  # maximum distance between the left edges of two address lines
_MAX_LINE_GAP = 1.3  # line heights between two lines of an address
_MAX_LINES = 5
_SALUTATION = re.compile(
    r"\W*(?:herrn?|frau|mr|mrs|ms|an|to|company|firma|spett\.?le|m/s|messrs|attn\b.*|.*\battention\b.*"
    r"|z\. ?hd\b.*"
    r"|(?:preg|egr|gent)\.?(?:mo|ma|le)?\.? ?sig\.?(?:ra)?)\W*$"
)
# Matches "Yuba City, California 95991".
_AMERICAN_TOWN = re.compile(rf"^[A-Z][\w.' -]{{1,30}}, (?:{AMERICAN_STATE}),? \d{{5}}(?:-\d{{4}})?$")
# A line above an address with the document's number or date is not part of the address.
_NUMBER_OR_DATE = re.compile(
    r":\s{0,9}\S{0,20}\d|\b(?:invoice|rechnung\w*|facture|factura|fattura|factuur|quote) (?:no|nr|n)\b"
)

AddressCell = tuple[Row, Cell]


def find_addressees(rows: Sequence[Row]) -> list[AddressCell]:
    """Return the first line of every address from the top down, each once."""
    return [block[0] for block in find_address_blocks(rows)]


def find_address_blocks(rows: Sequence[Row]) -> list[list[AddressCell]]:
    """Return the lines of every address from the name down, without wide gaps between them."""
    found: dict[int, list[AddressCell]] = {}
    for index, row in enumerate(rows):
        for cell in row.cells:
            if is_address(cell.text) or _AMERICAN_TOWN.search(cell.text):
                block = _collect_block(rows, index, cell)
                if len(block) > 1:
                    found[id(block[0][1])] = block
    return list(found.values())


def _collect_block(rows: Sequence[Row], index: int, cell: Cell) -> list[AddressCell]:
    """Return the lines from the topmost one that can be a name down to the address line."""
    block = [(rows[index], cell)]
    for row in reversed(rows[max(index - 12, 0) : index]):
        below = block[-1][0]
        if row.page != below.page or below.top - row.bottom > _MAX_LINE_GAP * (below.bottom - below.top):
            break
        above = [each for each in row.cells if abs(each.left - cell.left) < _SAME_COLUMN][:1]
        if above and (_NUMBER_OR_DATE.search(fold_label(above[0].text)) or is_date(above[0].text)):
            break
        block += [(row, each) for each in above]
        if len(block) > _MAX_LINES or block[-1][1].text.rstrip().endswith(":"):
            break
    while len(block) > 1 and not _is_name_line(block[-1][1].text):
        block.pop()
    return block[::-1]


def _is_name_line(line: str) -> bool:
    folded = fold_label(line)
    return not line.rstrip().endswith(":") and not _SALUTATION.match(folded) and not is_address(line)
