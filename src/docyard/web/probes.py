"""Whether this process lives, and whether it can serve."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, Response

from docyard.db import may_read_ledgers
from docyard.errors import Setup, Unavailable
from docyard.pipeline.pools import require_installed
from docyard.web.context import TheWeb

routes = APIRouter()


@routes.get("/healthz")
async def is_alive() -> Response:
    """The process answers."""
    return PlainTextResponse("alive\n")


@routes.get("/readyz")
def is_ready(web: TheWeb) -> Response:
    """The database answers and has the schema this program was written for."""
    try:
        with web.db.transaction() as conn:
            # Where the web role may not read the ledgers, it trusts the owner.
            if may_read_ledgers(conn):
                require_installed(conn)
    except Unavailable:
        return PlainTextResponse("The database cannot be reached.\n", 503)
    except Setup as error:
        return PlainTextResponse(f"{error}\n", 503)
    return PlainTextResponse("ready\n")
