"""The status filters of the Documents page, with the number of documents in each status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from docyard.model.status import CANCELLED, FAILED, NORMAL, PROCESSING, WAITING

_STATES = {"pending": WAITING, "processing": PROCESSING, "completed": NORMAL, "failed": FAILED, "cancelled": CANCELLED}
STATUS_LABELS = {status: state.word for status, state in _STATES.items()}


@dataclass(frozen=True, slots=True)
class Filter:
    """One link of the filter bar."""

    status: str
    word: str
    colour: str
    count: int
    chosen: bool


def status_filters(counts: Mapping[str, int], chosen: str | None) -> list[Filter]:
    """Return one filter for all documents and one per status.

    A status without documents is omitted unless it is selected, completed or failed.
    """
    all_documents = Filter("", "All", "none", sum(counts.values()), chosen is None)
    return [all_documents] + [
        Filter(status, STATUS_LABELS[status], state.colour, counts.get(status, 0), status == chosen)
        for status, state in _STATES.items()
        if counts.get(status) or status == chosen or status in ("completed", "failed")
    ]


def list_link(**filters: object) -> str:
    """Return the URL of a document list; empty filters are omitted."""
    query = urlencode({name: value for name, value in filters.items() if value})
    return f"/?{query}" if query else "/"
