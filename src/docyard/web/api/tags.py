"""API for the tags of a workspace."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from docyard.search import embed_query, find_tags
from docyard.web.context import TheWeb
from docyard.web.identity import Reader
from docyard.web.inputs import parse_whole_number

routes = APIRouter(prefix="/api/v1/tags")
_MAX_TAGS = 200


@routes.get("")
def list_tags(web: TheWeb, identity: Reader, q: str = "", limit: str = "") -> Response:
    """Return the most used tags; with `q`, tags that are similar in meaning or match by name."""
    max_count = min(parse_whole_number(limit, "limit") or 20, _MAX_TAGS)
    meaning = embed_query(web.embedder, q) if q.strip() else None
    with web.db.transaction(identity.workspace_id) as conn:
        found = find_tags(conn, q, meaning=meaning, limit=max_count)
    shown = [{"name": each.name, "documents": each.documents, "closeness": each.closeness} for each in found.tags]
    return JSONResponse({"tags": shown, "by": found.by, "note": found.note})
