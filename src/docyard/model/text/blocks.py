"""Blocks: what the parts of a page's text are, as spans beside the text, which itself stays as it is."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from itertools import starmap
from typing import NamedTuple

# A table is followed by its rows, each row by its cells; the level of a cell is its column, from zero.
# Cells of one row may repeat a column, where a cell has several lines, and lie anywhere in the table.
KINDS = ("paragraph", "heading", "item", "table", "row", "cell", "header", "footer")
INSIDE_TABLES = ("row", "cell")
_CODES = {kind: code for code, kind in enumerate(KINDS)}
_BLOCK = struct.Struct("<BBII")


class Block(NamedTuple):
    """`text[start:end]` of a page is a heading (of that level), a paragraph, a list item, a table …"""

    kind: str
    start: int
    end: int
    level: int = 0


def pack_blocks(blocks: Iterable[Block]) -> bytes:
    """Blocks as 10 bytes each."""
    return b"".join(
        starmap(_BLOCK.pack, ((_CODES[kind], level, start, end) for kind, start, end, level in blocks))
    )


def unpack_blocks(packed: bytes) -> Iterator[Block]:
    """The blocks that `pack_blocks` packed."""
    return (Block(KINDS[code], start, end, level) for code, level, start, end in _BLOCK.iter_unpack(packed))
