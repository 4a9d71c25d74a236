"""The operators' page: the whole queue at one glance, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from docyard import log, queue
from docyard.db import Connection
from docyard.errors import BadInput, NotFound
from docyard.pipeline.reprocess import replay_letters
from docyard.queue import control, monitor
from docyard.store.people import Identity
from docyard.web.context import TheWeb, Web
from docyard.web.identity import ActingOperator, Fields, Operator
from docyard.web.view.charts import half_hours
from docyard.web.view.notices import Notice, say
from docyard.web.view.rendering import render

routes = APIRouter()
PAGE = "/operations"
T = TypeVar("T")
MOST_AT_ONCE = 1000  # letters of one request; more would keep the person and the database waiting
_FINGERPRINT = re.compile(r"^[0-9a-f]{32}$", re.ASCII)


@routes.get(PAGE)
def show_operations(request: Request, web: TheWeb, _: Operator) -> Response:
    """Everything an operator should see."""
    with web.db.transaction(operator=True) as conn:
        seen = monitor.overview(conn)
    trend = half_hours(seen.trend, "failed attempt")
    return render(request, "operations.html", seen=seen, advice=monitor.advise(seen), trend=trend)


@routes.post(f"{PAGE}/pause")
def pause(web: TheWeb, identity: ActingOperator, fields: Fields) -> Response:
    """Start nothing more of a pool, tier or workspace."""
    kind, name = _held(fields)
    _act(web, identity, "paused", lambda conn: control.pause(conn, kind, name), kind=kind, name=name)
    return _back("info", f"The {kind} {name} is paused; what runs is finished.")


@routes.post(f"{PAGE}/resume")
def resume(web: TheWeb, identity: ActingOperator, fields: Fields) -> Response:
    """Go on with it."""
    kind, name = _held(fields)
    _act(web, identity, "resumed", lambda conn: control.resume(conn, kind, name), kind=kind, name=name)
    return _back("good", f"The {kind} {name} goes on.")


@routes.post(f"{PAGE}/close-breaker")
def close_breaker(web: TheWeb, identity: ActingOperator, fields: Fields) -> Response:
    """Let a pool go on whatever its breaker thinks."""
    pool = fields.get("pool", "")
    _act(web, identity, "breaker_closed", lambda conn: control.close_breaker(conn, pool), pool=pool)
    return _back("good", f"The breaker of the pool {pool} is closed.")


@routes.post(f"{PAGE}/causes/{{fingerprint}}/replay")
def replay(web: TheWeb, identity: ActingOperator, fingerprint: str) -> Response:
    """Put the letters of one cause back into the queue."""
    gone, left = _act(
        web, identity, "replayed", lambda conn: _letters(conn, fingerprint, replay_letters), cause=fingerprint
    )
    return _back("good", f"{_many(gone)} put back into the queue.{_more(left)}")


@routes.get(f"{PAGE}/causes/{{fingerprint}}/discard")
def confirm_discard(request: Request, web: TheWeb, _: Operator, fingerprint: str) -> Response:
    """Ask before giving letters up."""
    with web.db.transaction(operator=True) as conn:
        cause = _cause(conn, fingerprint)
    return render(request, "discard.html", cause=cause, most=MOST_AT_ONCE)


@routes.post(f"{PAGE}/causes/{{fingerprint}}/discard")
def discard(web: TheWeb, identity: ActingOperator, fingerprint: str) -> Response:
    """Give the letters of one cause up for good."""
    gone, left = _act(
        web, identity, "discarded", lambda conn: _letters(conn, fingerprint, queue.discard), cause=fingerprint
    )
    return _back("info", f"{_many(gone)} discarded; the documents stay as they are.{_more(left)}")


def _act(web: Web, identity: Identity, deed: str, act: Callable[[Connection], T], **about: str) -> T:
    with web.db.transaction(operator=True) as conn:
        outcome = act(conn)
    log.event(f"operator_{deed}", user=identity.user_id, **about)
    return outcome


def _back(tone: str, words: str) -> Response:
    response = RedirectResponse(PAGE, 303)
    say(response, [Notice("good" if tone == "good" else "info", words)])
    return response


def _held(fields: dict[str, str]) -> tuple[str, str]:
    kind = fields.get("kind", "")
    if kind not in control.KINDS:
        raise BadInput(f"'kind' must be one of {', '.join(control.KINDS)}.")
    return kind, fields.get("name", "")


def _letters(
    conn: Connection, fingerprint: str, act: Callable[[Connection, list[UUID]], list[UUID]]
) -> tuple[int, int]:
    """Act on the letters of a cause, as many as one request may; gives how many went, how many are left."""
    cause = _cause(conn, fingerprint)
    letters = queue.dead_letters(conn, cause=fingerprint, most=MOST_AT_ONCE)
    gone = len(act(conn, [letter.id for letter in letters]))
    return gone, cause.letters - gone


def _cause(conn: Connection, fingerprint: str) -> queue.Cause:
    # The whole fingerprint: the beginning of one would mean more letters than were shown.
    found = queue.dead_cause(conn, fingerprint) if _FINGERPRINT.match(fingerprint) else None
    if found is None:
        raise NotFound("There are no dead letters of this cause any more.")
    return found


def _many(count: int) -> str:
    return "1 letter was" if count == 1 else f"{count:,} letters were"


def _more(left: int) -> str:
    return f" {left:,} of this cause {'is' if left == 1 else 'are'} left." if left else ""
