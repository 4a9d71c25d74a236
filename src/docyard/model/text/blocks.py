"""Blocks: the structure of a page's text, stored as spans separate from the text."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from itertools import starmap
from typing import NamedTuple

# A table is followed by its rows, each row by its cells; the level of a cell is its column, starting at zero.
# A row has several blocks for one column if the cell has several lines. Cells need not be in text order.
KINDS = ("paragraph", "heading", "item", "table", "row", "cell", "header", "footer")
TABLE_PARTS = ("row", "cell")
_CODES = {kind: code for code, kind in enumerate(KINDS)}
_BLOCK = struct.Struct("<BBII")


class Block(NamedTuple):
    """The span `text[start:end]` of a page, and its kind; a heading or a cell also has a level."""

    kind: str
    start: int
    end: int
    level: int = 0


def pack_blocks(blocks: Iterable[Block]) -> bytes:
    """Pack blocks into 10 bytes each."""
    return b"".join(starmap(_BLOCK.pack, ((_CODES[kind], level, start, end) for kind, start, end, level in blocks)))


def unpack_blocks(packed: bytes) -> Iterator[Block]:
    """Yield the blocks that `pack_blocks` packed."""
    return (Block(KINDS[code], start, end, level) for code, level, start, end in _BLOCK.iter_unpack(packed))
