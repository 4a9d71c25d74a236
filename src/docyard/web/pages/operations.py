"""The Operations page: the state of the queue, and operators' actions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

from fastapi import APIRouter
from psycopg.errors import LockNotAvailable
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from docyard import log, queue
from docyard.db import Connection, set_short_lock_timeout
from docyard.errors import BadInput, NotFound, Unavailable
from docyard.pipeline.reruns import replay_dead_letters
from docyard.queue import control, monitor
from docyard.store.users import Identity
from docyard.web.context import TheWeb, Web
from docyard.web.identity import ActingOperator, Fields, Operator
from docyard.web.view.charts import half_hour_chart
from docyard.web.view.notices import Notice, set_notices
from docyard.web.view.templates import render

routes = APIRouter()
PAGE = "/operations"
T = TypeVar("T")
MAX_LETTERS = 1000  # dead letters per request, to bound its duration
_FINGERPRINT = re.compile(r"^[0-9a-f]{32}$", re.ASCII)


@routes.get(PAGE)
def show_operations(request: Request, web: TheWeb, _: Operator) -> Response:
    """Show the state of the queue in all workspaces, or only who blocks it if it cannot be read."""
    try:
        with web.db.transaction(operator=True) as conn:
            set_short_lock_timeout(conn)
            overview = monitor.collect_overview(conn)
    except (Unavailable, LockNotAvailable) as error:
        return _show_blockers(request, web, error)
    trend = half_hour_chart(overview.trend, "failed attempt")
    return render(request, "operations.html", seen=overview, advice=monitor.advise(overview), trend=trend)


def _show_blockers(request: Request, web: Web, error: Exception) -> Response:
    """Show the sessions that block the queue; raise the error if there are none."""
    with web.db.transaction(operator=True) as conn:
        blockers = monitor.find_blockers(conn)
    if not blockers:
        raise Unavailable("The state of the queue could not be read in time. Try again later.") from error
    return render(request, "operations_blocked.html", advice=[monitor.advise_on_blocker(each) for each in blockers])


@routes.post(f"{PAGE}/pause")
def pause(web: TheWeb, identity: ActingOperator, fields: Fields) -> Response:
    """Pause a pool, tier or workspace: running jobs finish, no further jobs start."""
    kind, name = _parse_target(fields)
    _perform(web, identity, "paused", lambda conn: control.pause(conn, kind, name), kind=kind, name=name)
    return _redirect("info", f"Paused the {kind} {name}. Running jobs will finish.")


@routes.post(f"{PAGE}/resume")
def resume(web: TheWeb, identity: ActingOperator, fields: Fields) -> Response:
    """Resume a pool, tier or workspace."""
    kind, name = _parse_target(fields)
    _perform(web, identity, "resumed", lambda conn: control.resume(conn, kind, name), kind=kind, name=name)
    return _redirect("good", f"Resumed the {kind} {name}.")


@routes.post(f"{PAGE}/close-breaker")
def close_breaker(web: TheWeb, identity: ActingOperator, fields: Fields) -> Response:
    """Close the circuit breaker of a pool."""
    pool = fields.get("pool", "")
    _perform(web, identity, "breaker_closed", lambda conn: control.close_breaker(conn, pool), pool=pool)
    return _redirect("good", f"Closed the breaker of the pool {pool}.")


@routes.post(f"{PAGE}/causes/{{fingerprint}}/replay")
def replay(web: TheWeb, identity: ActingOperator, fingerprint: str) -> Response:
    """Put dead letters of one cause back into the queue, at most MAX_LETTERS."""
    done, left = _perform(
        web, identity, "replayed", lambda conn: _apply(conn, fingerprint, replay_dead_letters), cause=fingerprint
    )
    return _redirect("good", f"{_format_count(done)} put back into the queue.{_format_rest(left)}")


@routes.get(f"{PAGE}/causes/{{fingerprint}}/discard")
def confirm_discard(request: Request, web: TheWeb, _: Operator, fingerprint: str) -> Response:
    """Ask for confirmation before discarding dead letters."""
    with web.db.transaction(operator=True) as conn:
        cause = _get_cause(conn, fingerprint)
    return render(request, "discard.html", cause=cause, limit=MAX_LETTERS)


@routes.post(f"{PAGE}/causes/{{fingerprint}}/discard")
def discard(web: TheWeb, identity: ActingOperator, fingerprint: str) -> Response:
    """Discard dead letters of one cause, at most MAX_LETTERS."""
    done, left = _perform(
        web, identity, "discarded", lambda conn: _apply(conn, fingerprint, queue.discard), cause=fingerprint
    )
    words = f"{_format_count(done)} discarded. Their documents do not change.{_format_rest(left)}"
    return _redirect("info", words)


def _perform(web: Web, identity: Identity, event: str, act: Callable[[Connection], T], **about: str) -> T:
    with web.db.transaction(operator=True) as conn:
        outcome = act(conn)
    log.event(f"operator_{event}", user=identity.user_id, **about)
    return outcome


def _redirect(tone: str, words: str) -> Response:
    response = RedirectResponse(PAGE, 303)
    set_notices(response, [Notice("good" if tone == "good" else "info", words)])
    return response


def _parse_target(fields: dict[str, str]) -> tuple[str, str]:
    kind = fields.get("kind", "")
    if kind not in control.PAUSABLE_KINDS:
        raise BadInput(f"'kind' must be one of {', '.join(control.PAUSABLE_KINDS)}.")
    return kind, fields.get("name", "")


def _apply(conn: Connection, fingerprint: str, act: Callable[[Connection, list[UUID]], list[UUID]]) -> tuple[int, int]:
    """Act on at most MAX_LETTERS dead letters of a cause; return the numbers processed and remaining."""
    cause = _get_cause(conn, fingerprint)
    letters = queue.find_dead_letters(conn, cause=fingerprint, limit=MAX_LETTERS)
    done = len(act(conn, [letter.id for letter in letters]))
    return done, cause.letters - done


def _get_cause(conn: Connection, fingerprint: str) -> queue.FailureCause:
    # Accept only whole fingerprints: a prefix could match dead letters that the user has not seen.
    found = queue.get_cause(conn, fingerprint) if _FINGERPRINT.match(fingerprint) else None
    if found is None:
        raise NotFound("No dead letters with this cause are left.")
    return found


def _format_count(count: int) -> str:
    return "1 dead letter" if count == 1 else f"{count:,} dead letters"


def _format_rest(left: int) -> str:
    return f" {left:,} with this cause {'is' if left == 1 else 'are'} left." if left else ""
