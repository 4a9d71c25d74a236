"""Printing: tables for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence

import click
from rich import box
from rich.console import Console
from rich.table import Table

_WIDE = 240


def print_json(value: object) -> None:
    """One JSON value on standard output."""
    click.echo(json.dumps(value, default=str, ensure_ascii=False, indent=2))


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


def _plain(cell: object) -> str:
    text = "" if cell is None else str(cell)
    # A file may be called [red] or hold an escape sequence; neither may reach the terminal's interpreter.
    return "".join(c for c in text if c.isprintable()).replace("[", "\\[")
