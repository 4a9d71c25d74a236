"""API for the document types of a workspace."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from docyard.facts.vocabulary import describe_types
from docyard.store.document_types import load_types
from docyard.web.actions import types
from docyard.web.context import TheWeb
from docyard.web.identity import ActingAdmin, Fields, Reader

routes = APIRouter(prefix="/api/v1/types")


@routes.get("")
def list_types(web: TheWeb, identity: Reader) -> Response:
    """Return the document types of the workspace, including those switched off."""
    with web.db.transaction(identity.workspace_id) as conn:
        known = load_types(conn, identity.workspace_id)
    return JSONResponse({"types": describe_types(known)})


@routes.post("")
def add_type(web: TheWeb, identity: ActingAdmin, fields: Fields) -> Response:
    """Add or change a custom type from the form fields name, description and phrases (one per line)."""
    return JSONResponse({"name": types.add_type(web, identity, fields).name}, 201)


@routes.post("/again")
def type_again(web: TheWeb, identity: ActingAdmin) -> Response:
    """Queue documents of an uncertain, removed or switched-off type for classification; return how many."""
    return JSONResponse({"queued": types.reclassify_uncertain(web, identity)})


@routes.post("/{name}/{switch}")
def switch_one(web: TheWeb, identity: ActingAdmin, name: str, switch: types.Switch) -> Response:
    """Switch a type on or off."""
    types.switch(web, identity, name, switch)
    return JSONResponse({"success": True})


@routes.delete("/{name}")
def remove_one(web: TheWeb, identity: ActingAdmin, name: str) -> Response:
    """Remove a custom type."""
    types.remove(web, identity, name)
    return Response(status_code=204)
