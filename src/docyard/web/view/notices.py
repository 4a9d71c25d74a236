"""What became of a request, said once on the next page; the cookie is cleared when it has been shown."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response

COOKIE = "docyard_notices"
_LARGEST_COOKIE = 3_500  # browsers drop cookies over 4 KiB, name and attributes included
_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Notice:
    """One sentence for the person, perhaps with a link."""

    tone: Literal["good", "info", "bad"]
    words: str
    link: str = ""
    link_words: str = ""


def say(response: Response, notices: Sequence[Notice]) -> None:
    """Show these on the page the person sees next; what does not fit is counted."""
    shown = list(notices)
    while len(value := _pack(shown, len(notices) - len(shown))) > _LARGEST_COOKIE:
        shown.pop()
    response.set_cookie(COOKIE, value, max_age=_SECONDS, httponly=True, samesite="lax")


def heard(request: Request) -> list[Notice]:
    """What the last request left to say."""
    try:
        entries = json.loads(base64.urlsafe_b64decode(request.cookies.get(COOKIE, "")))
        return [Notice(**entry) for entry in entries]
    except (ValueError, TypeError):
        return []


def forget(response: Response) -> None:
    """Do not say it twice."""
    response.delete_cookie(COOKIE, httponly=True, samesite="lax")


def _pack(notices: Sequence[Notice], left_out: int) -> str:
    more = [Notice("info", f"… and {left_out} more.")] if left_out else []
    entries = [asdict(notice) for notice in [*notices, *more]]
    return base64.urlsafe_b64encode(json.dumps(entries, ensure_ascii=False).encode()).decode()
