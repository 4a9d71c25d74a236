"""Whether this process lives, and whether it can serve."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, Response

from docyard.db import Connection, schema_version
from docyard.db.migrate import newest_version
from docyard.errors import Unavailable
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
            there = _readable_version(conn)
    except Unavailable:
        return PlainTextResponse("The database cannot be reached.\n", 503)
    if there not in (None, newest_version()):
        return PlainTextResponse(f"The schema is version {there}, not {newest_version()}.\n", 503)
    return PlainTextResponse("ready\n")


def _readable_version(conn: Connection) -> int | None:
    """The schema's version; None where the web role was not granted a look at it and must trust the owner."""
    if conn.execute("SELECT to_regclass('schema_migrations') AS there").fetchone() == {"there": None}:
        return 0
    row = conn.execute("SELECT has_table_privilege('schema_migrations', 'SELECT') AS granted").fetchone()
    return schema_version(conn) if row and row["granted"] else None
