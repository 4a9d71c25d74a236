"""Output of commands: tables for users, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

_WIDTH_WITHOUT_TERMINAL = 240  # characters


def print_json(value: object) -> None:
    """Print a value as indented JSON."""
    text = json.dumps(value, default=str, ensure_ascii=False, indent=2)
    # File names may contain bytes that are not valid UTF-8, but JSON must be valid UTF-8.
    click.echo(text.encode(errors="replace"))


def print_json_line(value: object) -> None:
    """Print a value as JSON on one line."""
    click.echo(json.dumps(value, default=str, ensure_ascii=False).encode(errors="replace"))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], empty: str) -> None:
    """Print a table, or the text `empty` if there are no rows."""
    cells = [[_make_cell(cell) for cell in row] for row in rows]
    if not cells:
        click.echo(empty)
        return
    table = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in cells:
        table.add_row(*row)
    # Without a terminal, the table is wide enough that ids are not truncated.
    console = Console() if sys.stdout.isatty() else Console(width=_WIDTH_WITHOUT_TERMINAL)
    console.print(table)


def strip_control_characters(text: str) -> str:
    """Replace unprintable characters with spaces, so that a text cannot send escape codes to the terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


def _make_cell(cell: object) -> Text:
    # A Text, because a plain string is parsed as markup, and a file may be named [red].
    return Text(strip_control_characters("" if cell is None else str(cell)))
