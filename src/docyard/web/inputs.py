"""Values from addresses and forms, checked before they reach the database."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import date
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Path, Query

from docyard.errors import BadInput, NotFound
from docyard.ids import parse_id
from docyard.store.documents import Wanted
from docyard.web.view.filters import STATUS_WORDS, list_link

_WHOLE_NUMBER = re.compile(r"^[0-9]{1,18}$", re.ASCII)
_OWN_PATH = re.compile(r"^/(?![/\\])[^\x00-\x20\\]*$")
_HIGHEST_PAGE = 1_000_000


def known_id(text: str, thing: str) -> UUID:
    """The id of a document, folder or other thing; what is no id cannot be one of ours."""
    found = parse_id(text)
    if found is None:
        raise NotFound(f"There is no such {thing}.")
    return found


def _id_in_path(name: str, thing: str) -> Callable[[str], UUID]:
    # Not by annotation: those are strings, which cannot name what is outside the function.
    def parsed(text: str = Path(alias=name)) -> UUID:
        return known_id(text, thing)

    return parsed


DocumentId = Annotated[UUID, Depends(_id_in_path("document_id", "document"))]
ConnectionId = Annotated[UUID, Depends(_id_in_path("connection_id", "connection"))]
FolderId = Annotated[UUID, Depends(_id_in_path("folder_id", "folder"))]
EntityId = Annotated[UUID, Depends(_id_in_path("entity_id", "entity"))]
OtherId = Annotated[UUID, Depends(_id_in_path("other_id", "entity"))]


def page_number(text: str | None) -> int:
    """The page asked for, the first one unless said otherwise."""
    if not text:
        return 1
    if not _WHOLE_NUMBER.match(text) or not 1 <= int(text) <= _HIGHEST_PAGE:
        raise NotFound("There is no such page.")
    return int(text)


def whole_number(text: str | None, name: str) -> int | None:
    """A number from an address, None when it is not given."""
    if not text:
        return None
    if not _WHOLE_NUMBER.match(text):
        raise BadInput(f"'{name}' must be a whole number.")
    return int(text)


def status_filter(text: str | None) -> str | None:
    """A status to filter by, None for all."""
    if not text:
        return None
    if text not in STATUS_WORDS:
        raise BadInput(f"'status' must be one of {', '.join(STATUS_WORDS)}.")
    return text


@dataclass(frozen=True, slots=True)
class Listing(Wanted):
    """A list as an address asks for it."""

    @property
    def narrowed(self) -> bool:
        """Whether not all documents are listed, whatever their state."""
        return bool(self.type or self.tag or self.folder)

    def link(self, **other: object) -> str:
        """The same list with something else; None takes it away."""
        return list_link(**{**asdict(self), **other})


def listed(
    status: str = "", of_type: Annotated[str, Query(alias="type")] = "", tag: str = "", folder: str = ""
) -> Listing:
    """A list from an address; what was never a type, a tag or a folder lists nothing."""
    tag, folder = (" ".join(each.replace("\x00", "").split()) for each in (tag, folder))
    return Listing(status_filter(status), of_type.strip().lower() or None, tag or None, folder or None)


Listed = Annotated[Listing, Depends(listed)]


def day(text: str, name: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput(f"'{name}' must be a day such as 2026-01-31.") from None


def own_path(text: str | None, otherwise: str) -> str:
    """Where to go afterwards: only ever to a page of ours."""
    return text if text and _OWN_PATH.match(text) else otherwise
