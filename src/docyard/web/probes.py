"""Liveness and readiness probes."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, Response

from docyard.db import may_read_ledgers
from docyard.errors import SetupError, Unavailable
from docyard.pipeline.pools import require_installed
from docyard.web.context import TheWeb

routes = APIRouter()


@routes.get("/healthz")
async def is_alive() -> Response:
    """Answer 200 while the process runs."""
    return PlainTextResponse("alive\n")


@routes.get("/readyz")
def is_ready(web: TheWeb) -> Response:
    """Answer 200 if the database is reachable and its schema, if the role may check it, is current; else 503."""
    try:
        with web.db.transaction() as conn:
            # A web role that may not read the ledgers cannot check the schema.
            if may_read_ledgers(conn):
                require_installed(conn)
    except Unavailable:
        return PlainTextResponse("The database cannot be reached.\n", 503)
    except SetupError as error:
        return PlainTextResponse(f"{error}\n", 503)
    return PlainTextResponse("ready\n")
