"""API for the LLM connections of a workspace; API keys are never returned."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from docyard.store.connections import ConnectionSummary, list_connections
from docyard.web.actions.connections import add_one, queue_connection_test, remove_one, select_connection
from docyard.web.context import TheWeb
from docyard.web.identity import ActingAdmin, Fields, Reader
from docyard.web.inputs import ConnectionId

routes = APIRouter(prefix="/api/v1/connections")


@routes.get("")
def list_all(web: TheWeb, identity: Reader) -> Response:
    """Return the connections of the workspace, sorted by name, without API keys."""
    with web.db.transaction(identity.workspace_id) as conn:
        found = list_connections(conn, identity.workspace_id)
    return JSONResponse({"connections": [_json(each) for each in found]})


@routes.post("")
def add(web: TheWeb, identity: ActingAdmin, fields: Fields) -> Response:
    """Add a connection from the form fields name, provider, model, base_url and key."""
    return JSONResponse({"id": str(add_one(web, identity, fields))}, 201)


@routes.post("/classifying")
def choose(web: TheWeb, identity: ActingAdmin, fields: Fields) -> Response:
    """Set the connection that classifies documents from the form field `connection`; if empty, unset it."""
    select_connection(web, identity, fields)
    return JSONResponse({"success": True})


@routes.post("/{connection_id}/test")
def test(web: TheWeb, identity: ActingAdmin, connection_id: ConnectionId) -> Response:
    """Queue a test request to the model; the list of connections contains the result."""
    return JSONResponse({"success": True, "jobId": str(queue_connection_test(web, identity, connection_id))})


@routes.delete("/{connection_id}")
def remove(web: TheWeb, identity: ActingAdmin, connection_id: ConnectionId) -> Response:
    """Remove a connection; documents waiting for it continue without it."""
    remove_one(web, identity, connection_id)
    return Response(status_code=204)


def _json(each: ConnectionSummary) -> dict[str, object]:
    return {
        "id": str(each.id),
        "name": each.name,
        "provider": each.provider,
        "model": each.model,
        "baseUrl": each.base_url,
        "classifies": each.classifies,
        "createdAt": each.created_at.isoformat(),
        "testedAt": each.tried_at.isoformat() if each.tried_at else None,
        "testSeconds": each.tried_seconds,
        "trouble": each.trouble,
    }
