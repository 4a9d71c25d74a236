"""Search filters."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

# Kinds of files, and the prefixes of their media types.
KINDS: dict[str, tuple[str, ...]] = {
    "pdf": ("application/pdf",),
    "image": ("image/",),
    "text": ("text/plain", "text/markdown", "text/csv"),
    "web": ("text/html", "application/xhtml"),
    "word": (
        "application/msword",
        "application/vnd.openxmlformats-officedocument.wordprocessingml",
        "application/vnd.oasis.opendocument.text",
        "application/rtf",
        "text/rtf",
    ),
    "sheet": (
        "application/vnd.ms-excel",
        "application/vnd.openxmlformats-officedocument.spreadsheetml",
        "application/vnd.oasis.opendocument.spreadsheet",
        "text/csv",
    ),
    "slides": (
        "application/vnd.ms-powerpoint",
        "application/vnd.openxmlformats-officedocument.presentationml",
        "application/vnd.oasis.opendocument.presentation",
    ),
    "mail": ("message/", "application/vnd.ms-outlook", "application/mbox"),
}


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters by kind of file, tags (all required), language, first and last date, and folder."""

    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    folder: str = ""  # name or id
    by_facts: bool = False  # the transaction also filters by facts

    @property
    def can_list(self) -> bool:
        """Whether documents can be listed by these filters without search words."""
        return bool(self.tags or self.folder)

    def query_params(self) -> dict[str, object]:
        """Return query parameters; a filter that is not set is None."""
        types = [prefix for kind in self.kinds for prefix in KINDS.get(kind, (kind,))]
        return {
            "types": types or None,
            # An empty list does not filter, but makes rank_chunks call is_wanted, which checks the facts.
            "tags": list(self.tags) or ([] if self.by_facts else None),
            "languages": list(self.languages) or None,
            "since": self.since,
            "until": self.until,
        }
