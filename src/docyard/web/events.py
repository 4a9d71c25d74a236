"""Server-sent events that name the changed documents of a workspace."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from docyard.clock import monotonic
from docyard.errors import Unavailable
from docyard.web.context import TheWeb, Web
from docyard.web.identity import CurrentUser, SignedInUser, find_identity
from docyard.web.live import WHOLE_LIST, Hub

routes = APIRouter()
HEARTBEAT_SECONDS = 15.0
RECHECK_SECONDS = 30.0


@routes.get("/events")
async def watch(request: Request, web: TheWeb, who: CurrentUser) -> Response:
    """Stream the ids of changed documents; pages then load these documents with the rights of their user."""
    hub: Hub = request.app.state.hub
    return StreamingResponse(
        _stream(web, hub, who), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
    )


async def _stream(web: Web, hub: Hub, who: SignedInUser) -> AsyncIterator[str]:
    with hub.subscribe(who.identity.workspace_id) as subscription:
        yield _event("hello", str(who.identity.workspace_id))
        checked = monotonic()
        while not subscription.closed:
            changed = await subscription.changes(HEARTBEAT_SECONDS)
            if monotonic() - checked >= RECHECK_SECONDS:
                if not await run_in_threadpool(_session_is_valid, web, who):
                    yield _event("ended", "")
                    return
                checked = monotonic()
            yield "".join(map(_change_event, changed)) or ": still here\n\n"


def _session_is_valid(web: Web, who: SignedInUser) -> bool:
    """Return whether the session is valid and still in this workspace."""
    try:
        current = find_identity(web, who.session)
    except Unavailable:
        return True  # the database is unavailable; the next check decides
    return current is not None and current.workspace_id == who.identity.workspace_id


def _change_event(document: str) -> str:
    return _event("list", "") if document == WHOLE_LIST else _event("document", document)


def _event(name: str, data: str) -> str:
    return f"event: {name}\ndata: {data}\n\n"
