"""What a search is narrowed down to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

# What people call kinds of files, and how the media types of each begin.
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
    """Kinds of files, tags (all of them), languages, the first and last day, and a folder by name or id."""

    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    folder: str = ""
    by_facts: bool = False  # the transaction wants facts as well

    @property
    def leads(self) -> bool:
        """Whether there is something by which documents can be listed without any words."""
        return bool(self.tags or self.folder)

    def given(self) -> dict[str, object]:
        """As the queries take them; what is not asked for is None."""
        types = [start for kind in self.kinds for start in KINDS.get(kind, (kind,))]
        return {
            "types": types or None,
            # Without any filter documents are not even looked at; every one has at least no tags.
            "tags": list(self.tags) or ([] if self.by_facts else None),
            "languages": list(self.languages) or None,
            "since": self.since,
            "until": self.until,
        }
