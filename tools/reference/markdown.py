"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, preceded by an empty line, or an empty string if there are no rows."""
    lines = [f"| {' | '.join(_escape(cell) for cell in row)} |" for row in rows]
    if not lines:
        return ""
    rule = "|" + "---|" * len(head)
    return "\n" + "\n".join([f"| {' | '.join(head)} |", rule, *lines]) + "\n"


def _escape(cell: str) -> str:
    return " ".join(cell.split()).replace("|", "\\|")
