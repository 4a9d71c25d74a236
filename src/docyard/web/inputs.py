"""Values from addresses and forms, checked before they reach the database."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Annotated
from uuid import UUID

from fastapi import Depends

from docyard.errors import BadInput, NotFound
from docyard.search import KINDS, MODES, Filters
from docyard.web.filters import STATUS_WORDS

_WHOLE_NUMBER = re.compile(r"^[0-9]{1,18}$", re.ASCII)
_OWN_PATH = re.compile(r"^/(?![/\\])[^\x00-\x20\\]*$")
_HIGHEST_PAGE = 1_000_000
NARROWING = ("mode", "kind", "tag", "language", "since", "until")


def document_id(document_id: str) -> UUID:
    """The document in the address; what is no id cannot be one of ours."""
    try:
        return UUID(document_id)
    except ValueError:
        raise NotFound("There is no such document.") from None


DocumentId = Annotated[UUID, Depends(document_id)]


def connection_id(connection_id: str) -> UUID:
    """The connection in the address; what is no id cannot be one of ours."""
    try:
        return UUID(connection_id)
    except ValueError:
        raise NotFound("There is no such connection.") from None


ConnectionId = Annotated[UUID, Depends(connection_id)]


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
class Asked:
    """What to search for: words, the way to search, and what to narrow it down to; `given` as it came."""

    words: str
    mode: str | None
    filters: Filters
    given: dict[str, str]


def asked(
    q: str = "",
    mode: str = "",
    kind: str = "",
    tag: str = "",
    language: str = "",
    since: str = "",
    until: str = "",
) -> Asked:
    """A search from an address."""
    if mode and mode not in MODES:
        raise BadInput(f"'mode' must be one of {', '.join(MODES)}.")
    if kind and kind not in KINDS:
        raise BadInput(f"'kind' must be one of {', '.join(KINDS)}.")
    wanted = Filters(
        kinds=(kind,) if kind else (),
        tags=tuple(filter(None, (each.strip() for each in tag.split(",")))),
        languages=(language.lower(),) if language else (),
        since=_day(since, "since"),
        until=_day(until, "until"),
    )
    typed = zip(NARROWING, (mode, kind, tag, language, since, until), strict=True)
    return Asked(q.strip(), mode or None, wanted, {name: text for name, text in typed if text})


Search = Annotated[Asked, Depends(asked)]


def _day(text: str, name: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput(f"'{name}' must be a day such as 2026-01-31.") from None


def own_path(text: str | None, otherwise: str) -> str:
    """Where to go afterwards: only ever to a page of ours."""
    return text if text and _OWN_PATH.match(text) else otherwise
