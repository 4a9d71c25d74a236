"""The filters of the Documents page: by status and by type, with how many documents each would show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from docyard.model.status import CANCELLED, FAILED, NORMAL, PROCESSING, WAITING

_STATES = {
    "pending": WAITING,
    "processing": PROCESSING,
    "completed": NORMAL,
    "failed": FAILED,
    "cancelled": CANCELLED,
}
# Completed documents may be ready, incomplete or only stored; their filter must not promise more.
STATUS_WORDS = {status: state.word for status, state in _STATES.items()} | {"completed": "Done"}


@dataclass(frozen=True, slots=True)
class Filter:
    """One link of the bar above the documents."""

    status: str
    word: str
    colour: str
    count: int
    chosen: bool


def filters(counts: Mapping[str, int], chosen: str | None) -> list[Filter]:
    """All documents, then each status there is, and the chosen one even when it is empty."""
    every = Filter("", "All", "none", sum(counts.values()), chosen is None)
    return [every] + [
        Filter(status, STATUS_WORDS[status], state.colour, counts.get(status, 0), status == chosen)
        for status, state in _STATES.items()
        if counts.get(status) or status == chosen or status in ("completed", "failed")
    ]


def list_link(**asked: object) -> str:
    """The address of a list, with what is not asked for left out."""
    given = urlencode({name: value for name, value in asked.items() if value})
    return f"/?{given}" if given else "/"
