"""Printing: tables for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

_WIDE = 240


def print_json(value: object) -> None:
    """One JSON value on standard output."""
    text = json.dumps(value, default=str, ensure_ascii=False, indent=2)
    # A file name need not be text; whoever reads this expects that JSON is.
    click.echo(text.encode(errors="replace"))


def print_json_line(value: object) -> None:
    """One JSON value on one line."""
    click.echo(json.dumps(value, default=str, ensure_ascii=False).encode(errors="replace"))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], empty: str) -> None:
    """A table, or a sentence when there is nothing to show."""
    cells = [[_plain(cell) for cell in row] for row in rows]
    if not cells:
        click.echo(empty)
        return
    table = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in cells:
        table.add_row(*row)
    # Without a terminal nothing is cut: whoever pipes the table wants whole ids.
    console = Console() if sys.stdout.isatty() else Console(width=_WIDE)
    console.print(table)


def plain(text: str) -> str:
    """Text from a document or a file name without what a terminal would obey, such as escape sequences."""
    return "".join(c if c.isprintable() else " " for c in text)


def _plain(cell: object) -> Text:
    # As Text, because a file may be called [red].
    return Text(plain("" if cell is None else str(cell)))
