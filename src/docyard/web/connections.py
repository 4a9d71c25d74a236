"""LLM connections of a workspace: its admins add, choose and remove them; no key ever comes out."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from docyard import log
from docyard.errors import Setup
from docyard.model.connections import NewConnection
from docyard.store.connections import (
    Listed,
    add_connection,
    classify_with,
    list_connections,
    remove_connection,
)
from docyard.web.context import TheWeb
from docyard.web.identity import ActingAdmin, Fields, Reader
from docyard.web.inputs import ConnectionId, connection_id

routes = APIRouter(prefix="/api/v1/connections")


@routes.get("")
def list_all(web: TheWeb, identity: Reader) -> Response:
    """The connections of the workspace, by name."""
    with web.db.transaction(identity.workspace_id) as conn:
        found = list_connections(conn, identity.workspace_id)
    return JSONResponse({"connections": [_json(each) for each in found]})


@routes.post("")
def add(web: TheWeb, identity: ActingAdmin, fields: Fields) -> Response:
    """Add a connection by the form fields name, provider, model, base_url and key."""
    if web.seal is None:
        raise Setup("This installation has no secret to seal keys with.")
    new = NewConnection(
        name=fields.get("name", "").strip(),
        provider=fields.get("provider", ""),
        model=fields.get("model", "").strip(),
        base_url=fields.get("base_url", "").strip() or None,
        key=fields.get("key", "").strip(),
    )
    with web.db.transaction(identity.workspace_id) as conn:
        made = add_connection(conn, new, web.seal, web.bounds, by=identity.user_id)
    log.event("connection_added", connection=made, provider=new.provider, user=identity.user_id)
    return JSONResponse({"id": str(made)}, 201)


@routes.post("/classifying")
def choose(web: TheWeb, identity: ActingAdmin, fields: Fields) -> Response:
    """Let the connection in the form field `connection` classify documents; none when it is empty."""
    chosen = connection_id(fields["connection"]) if fields.get("connection") else None
    with web.db.transaction(identity.workspace_id) as conn:
        classify_with(conn, identity.workspace_id, chosen)
    log.event("connection_chosen", connection=chosen, user=identity.user_id)
    return JSONResponse({"success": True})


@routes.delete("/{connection_id}")
def remove(web: TheWeb, identity: ActingAdmin, connection_id: ConnectionId) -> Response:
    """Remove a connection; documents that wait for it go on without."""
    with web.db.transaction(identity.workspace_id) as conn:
        remove_connection(conn, connection_id)
    log.event("connection_removed", connection=connection_id, user=identity.user_id)
    return Response(status_code=204)


def _json(each: Listed) -> dict[str, object]:
    return {
        "id": str(each.id),
        "name": each.name,
        "provider": each.provider,
        "model": each.model,
        "baseUrl": each.base_url,
        "classifies": each.classifies,
        "createdAt": each.created_at.isoformat(),
    }
