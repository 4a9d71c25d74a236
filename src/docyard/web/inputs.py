"""Parsers for values in URLs and forms."""

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
from docyard.store.documents import DocumentFilter
from docyard.web.view.filters import STATUS_LABELS, list_link

_WHOLE_NUMBER = re.compile(r"^[0-9]{1,18}$", re.ASCII)
_OWN_PATH = re.compile(r"^/(?![/\\])[^\x00-\x20\\]*$")
_MAX_PAGE = 1_000_000


def parse_object_id(text: str, noun: str) -> UUID:
    """Parse an id; raise NotFound if it is malformed. `noun` names the object in the message."""
    found = parse_id(text)
    if found is None:
        raise NotFound(f"There is no such {noun}.")
    return found


def _id_in_path(name: str, noun: str) -> Callable[[str], UUID]:
    # `Path` is a default value, because annotations in this module are strings and cannot refer to `name`.
    def parse(text: str = Path(alias=name)) -> UUID:
        return parse_object_id(text, noun)

    return parse


DocumentId = Annotated[UUID, Depends(_id_in_path("document_id", "document"))]
ConnectionId = Annotated[UUID, Depends(_id_in_path("connection_id", "connection"))]
FolderId = Annotated[UUID, Depends(_id_in_path("folder_id", "folder"))]
EntityId = Annotated[UUID, Depends(_id_in_path("entity_id", "entity"))]
OtherId = Annotated[UUID, Depends(_id_in_path("other_id", "entity"))]


def parse_page_number(text: str | None) -> int:
    """Parse a page number; 1 if empty. Raise NotFound if it is malformed or out of range."""
    if not text:
        return 1
    if not _WHOLE_NUMBER.match(text) or not 1 <= int(text) <= _MAX_PAGE:
        raise NotFound("There is no such page.")
    return int(text)


def parse_whole_number(text: str | None, name: str) -> int | None:
    """Parse a whole number; None if empty. Raise BadInput if it is malformed."""
    if not text:
        return None
    if not _WHOLE_NUMBER.match(text):
        raise BadInput(f"'{name}' must be a whole number.")
    return int(text)


def status_filter(text: str | None) -> str | None:
    """Parse the status to filter documents by; None if empty. Raise BadInput if it is unknown."""
    if not text:
        return None
    if text not in STATUS_LABELS:
        raise BadInput(f"'status' must be one of {', '.join(STATUS_LABELS)}.")
    return text


@dataclass(frozen=True, slots=True)
class ListRequest(DocumentFilter):
    """The filters of a document list, from a URL."""

    @property
    def narrowed(self) -> bool:
        """Whether the list is filtered by type, tag or folder."""
        return bool(self.type or self.tag or self.folder)

    def link(self, **other: object) -> str:
        """Return the URL of this list with some filters changed; the value None removes a filter."""
        return list_link(**{**asdict(self), **other})


def parse_list_filters(
    status: str = "", of_type: Annotated[str, Query(alias="type")] = "", tag: str = "", folder: str = ""
) -> ListRequest:
    """Parse the filters of a list; an unknown type, tag or folder matches no documents."""
    tag, folder = (" ".join(each.replace("\x00", "").split()) for each in (tag, folder))
    return ListRequest(status_filter(status), of_type.strip().lower() or None, tag or None, folder or None)


ListFilters = Annotated[ListRequest, Depends(parse_list_filters)]


def parse_date(text: str, name: str) -> date | None:
    """Parse an ISO date; None if empty. Raise BadInput if it is malformed."""
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput(f"'{name}' must be a date such as 2026-01-31.") from None


def local_path(text: str | None, otherwise: str) -> str:
    """Return `text` if it is a path on this site, else `otherwise`, to prevent redirects to other sites."""
    return text if text and _OWN_PATH.match(text) else otherwise
