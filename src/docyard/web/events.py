"""Server-sent events: which documents of the workspace changed, for pages that keep themselves up to date."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from docyard.clock import monotonic
from docyard.errors import Unavailable
from docyard.web.context import TheWeb, Web
from docyard.web.identity import TheVisitor, Visitor, look_up
from docyard.web.live import WHOLE_LIST, Hub

routes = APIRouter()
HEARTBEAT_SECONDS = 15.0
RECHECK_SECONDS = 30.0


@routes.get("/events")
async def watch(request: Request, web: TheWeb, who: TheVisitor) -> Response:
    """A stream that says what changed, never how: the page then asks, with its own rights."""
    hub: Hub = request.app.state.hub
    return StreamingResponse(
        _stream(web, hub, who), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
    )


async def _stream(web: Web, hub: Hub, who: Visitor) -> AsyncIterator[str]:
    with hub.subscribed(who.identity.workspace_id) as subscription:
        yield _event("hello", str(who.identity.workspace_id))
        checked = monotonic()
        while not subscription.closed:
            changed = await subscription.changes(HEARTBEAT_SECONDS)
            if monotonic() - checked >= RECHECK_SECONDS:
                if not await run_in_threadpool(_still_there, web, who):
                    yield _event("ended", "")
                    return
                checked = monotonic()
            yield "".join(map(_change, changed)) or ": still here\n\n"


def _still_there(web: Web, who: Visitor) -> bool:
    """Whether the session lives and still looks at this workspace."""
    try:
        now = look_up(web, who.session)
    except Unavailable:
        return True  # nothing can change while there is no database; the next check decides
    return now is not None and now.workspace_id == who.identity.workspace_id


def _change(document: str) -> str:
    return _event("list", "") if document == WHOLE_LIST else _event("document", document)


def _event(name: str, data: str) -> str:
    return f"event: {name}\ndata: {data}\n\n"
