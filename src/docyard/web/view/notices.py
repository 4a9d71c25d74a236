"""Notices that are shown once, on the next page; a cookie carries them."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response

COOKIE = "docyard_notices"
_MAX_COOKIE = 3_500  # bytes; browsers drop cookies over 4 KiB, including name and attributes
_MAX_AGE = 60  # seconds


@dataclass(frozen=True, slots=True)
class Notice:
    """A short message to the user, optionally with a link."""

    tone: Literal["good", "info", "bad"]
    words: str
    link: str = ""
    link_words: str = ""


def set_notices(response: Response, notices: Sequence[Notice]) -> None:
    """Set the cookie that shows notices on the next page; those that do not fit are only counted."""
    shown = list(notices)
    while len(value := _pack(shown, len(notices) - len(shown))) > _MAX_COOKIE:
        shown.pop()
    response.set_cookie(COOKIE, value, max_age=_MAX_AGE, httponly=True, samesite="lax")


def read_notices(request: Request) -> list[Notice]:
    """Return the notices that the previous response set."""
    try:
        entries = json.loads(base64.urlsafe_b64decode(request.cookies.get(COOKIE, "")))
        return [Notice(**entry) for entry in entries]
    except (ValueError, TypeError):
        return []


def clear_notices(response: Response) -> None:
    """Delete the cookie with the notices."""
    response.delete_cookie(COOKIE, httponly=True, samesite="lax")


def _pack(notices: Sequence[Notice], left_out: int) -> str:
    more = [Notice("info", f"… and {left_out} more.")] if left_out else []
    entries = [asdict(notice) for notice in [*notices, *more]]
    return base64.urlsafe_b64encode(json.dumps(entries, ensure_ascii=False).encode()).decode()
