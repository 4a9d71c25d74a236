"""LLM connections of a workspace: its admins add, choose and remove them; no key ever comes out."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from docyard import log, queue
from docyard.errors import NotFound, Setup
from docyard.model.connections import TRY, NewConnection, pool_of, try_key
from docyard.model.jobs import NewJob
from docyard.model.tiers import Tier
from docyard.store.connections import (
    Listed,
    add_connection,
    classify_with,
    list_connections,
    remove_connection,
)
from docyard.store.people import Identity
from docyard.web.context import TheWeb, Web
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
    return JSONResponse({"id": str(add_one(web, identity, fields))}, 201)


@routes.post("/classifying")
def choose(web: TheWeb, identity: ActingAdmin, fields: Fields) -> Response:
    """Let the connection in the form field `connection` classify documents; none when it is empty."""
    choose_one(web, identity, fields)
    return JSONResponse({"success": True})


@routes.post("/{connection_id}/test")
def test(web: TheWeb, identity: ActingAdmin, connection_id: ConnectionId) -> Response:
    """Let a worker ask the model something; the list tells what came of it."""
    return JSONResponse({"success": True, "jobId": str(try_one(web, identity, connection_id))})


@routes.delete("/{connection_id}")
def remove(web: TheWeb, identity: ActingAdmin, connection_id: ConnectionId) -> Response:
    """Remove a connection; documents that wait for it go on without."""
    remove_one(web, identity, connection_id)
    return Response(status_code=204)


def add_one(web: Web, identity: Identity, fields: dict[str, str]) -> UUID:
    """Make a connection of what a form says."""
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
    return made


def choose_one(web: Web, identity: Identity, fields: dict[str, str]) -> UUID | None:
    """Let the connection that a form names classify documents, or none."""
    chosen = connection_id(fields["connection"]) if fields.get("connection") else None
    with web.db.transaction(identity.workspace_id) as conn:
        classify_with(conn, identity.workspace_id, chosen)
    log.event("connection_chosen", connection=chosen, user=identity.user_id)
    return chosen


def try_one(web: Web, identity: Identity, tried: UUID) -> UUID | None:
    """Queue a question to the model, in its own pool, or find it queued."""
    job = NewJob(
        workspace_id=identity.workspace_id,
        pool=pool_of(tried),
        type=TRY,
        payload={"connection": str(tried)},
        dedupe_key=try_key(tried),
        tier=Tier.USER_UPLOAD,
    )
    with web.db.transaction(identity.workspace_id) as conn:
        if tried not in {each.id for each in list_connections(conn, identity.workspace_id)}:
            raise NotFound("There is no such connection.")
        added = queue.enqueue(conn, [job])
        found = added[0] if added else queue.find_live(conn, identity.workspace_id, try_key(tried))
    log.event("connection_tried", connection=tried, user=identity.user_id)
    return found


def remove_one(web: Web, identity: Identity, removed: UUID) -> None:
    """Remove a connection with its key."""
    with web.db.transaction(identity.workspace_id) as conn:
        remove_connection(conn, removed)
    log.event("connection_removed", connection=removed, user=identity.user_id)


def _json(each: Listed) -> dict[str, object]:
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
