"""The list of document types, for admins of the workspace: what is switched off, and what they added."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from docyard import log
from docyard.errors import BadInput
from docyard.facts.classify.types import described_types
from docyard.model.document_types import OwnType, own_type, type_name
from docyard.pipeline.again import classify_again
from docyard.store.documents import count_types, unsettled_documents
from docyard.store.people import Identity
from docyard.store.types import known_types, remove_type, save_type, switch_type
from docyard.web.context import TheWeb, Web
from docyard.web.identity import ActingAdmin, Admin, Fields, Reader
from docyard.web.notices import Notice, say
from docyard.web.rendering import render

routes = APIRouter()
_API = "/api/v1/types"
_AT_ONCE = 500  # documents that one click puts back into the queue
Switch = Literal["on", "off"]


@routes.get("/types")
def show_types(request: Request, web: TheWeb, identity: Admin) -> Response:
    """All types, with what can be done about each."""
    return _page(request, web, identity)


@routes.post("/types")
def add_by_form(request: Request, web: TheWeb, identity: ActingAdmin, fields: Fields) -> Response:
    """Add a type of one's own, or describe it anew; what cannot be is said beside what was typed."""
    try:
        added = _add(web, identity, fields)
    except BadInput as refusal:
        return _page(request, web, identity, given=fields, refusal=str(refusal))
    return _back(f"Documents can be of the type {added.name} from now on.")


@routes.post("/types/again")
def again_by_form(web: TheWeb, identity: ActingAdmin) -> Response:
    """Classify the documents again whose type is not sure or not on the list any more."""
    queued = _again(web, identity)
    more = " There may be more: ask again when they are done." if queued == _AT_ONCE else ""
    words = "1 document is" if queued == 1 else f"{queued:,} documents are"
    return _back(f"{words} being classified again.{more}")


@routes.post("/types/{name}/remove")
def remove_by_form(web: TheWeb, identity: ActingAdmin, name: str) -> Response:
    """Remove a type of one's own."""
    _remove(web, identity, name)
    return _back(f"{name} is removed.")


@routes.post("/types/{name}/{switch}")
def switch_by_form(web: TheWeb, identity: ActingAdmin, name: str, switch: Switch) -> Response:
    """Switch a type on or off."""
    _switch(web, identity, name, switch)
    return _back(f"{name} is switched {switch}.")


@routes.get(_API)
def list_types(web: TheWeb, identity: Reader) -> Response:
    """The types that documents of the workspace can be of, also those switched off."""
    with web.db.transaction(identity.workspace_id) as conn:
        known = known_types(conn, identity.workspace_id)
    return JSONResponse({"types": described_types(known)})


@routes.post(_API)
def add_type(web: TheWeb, identity: ActingAdmin, fields: Fields) -> Response:
    """Add a type by the form fields name, description and phrases (one on each line)."""
    return JSONResponse({"name": _add(web, identity, fields).name}, 201)


@routes.post(f"{_API}/again")
def type_again(web: TheWeb, identity: ActingAdmin) -> Response:
    """Classify documents again whose type is not sure or not on the list any more; gives how many."""
    return JSONResponse({"queued": _again(web, identity)})


@routes.post(f"{_API}/{{name}}/{{switch}}")
def switch_one(web: TheWeb, identity: ActingAdmin, name: str, switch: Switch) -> Response:
    """Switch a type on or off."""
    _switch(web, identity, name, switch)
    return JSONResponse({"success": True})


@routes.delete(f"{_API}/{{name}}")
def remove_one(web: TheWeb, identity: ActingAdmin, name: str) -> Response:
    """Remove a type of the workspace's own."""
    _remove(web, identity, name)
    return Response(status_code=204)


def _page(
    request: Request, web: Web, identity: Identity, given: dict[str, str] | None = None, refusal: str = ""
) -> Response:
    with web.db.transaction(identity.workspace_id) as conn:
        known = known_types(conn, identity.workspace_id)
        counts = count_types(conn, identity.workspace_id)
    unsettled = sum(count for name, count in counts.items() if name not in known.names)
    return render(
        request,
        "types.html",
        400 if refusal else 200,
        types=described_types(known),
        counts=counts,
        unsettled=unsettled,
        given=given or {},
        refusal=refusal,
    )


def _add(web: Web, identity: Identity, fields: dict[str, str]) -> OwnType:
    phrases = fields.get("phrases", "").splitlines()
    new = own_type(fields.get("name", ""), fields.get("description", ""), phrases)
    with web.db.transaction(identity.workspace_id) as conn:
        save_type(conn, identity.workspace_id, new, identity.email)
    log.event("type_added", name=new.name, user=identity.user_id)
    return new


def _switch(web: Web, identity: Identity, name: str, switch: Switch) -> None:
    with web.db.transaction(identity.workspace_id) as conn:
        switch_type(conn, identity.workspace_id, type_name(name), identity.email, on=switch == "on")
    log.event("type_switched", name=name, switch=switch, user=identity.user_id)


def _remove(web: Web, identity: Identity, name: str) -> None:
    with web.db.transaction(identity.workspace_id) as conn:
        remove_type(conn, identity.workspace_id, type_name(name))
    log.event("type_removed", name=name, user=identity.user_id)


def _again(web: Web, identity: Identity) -> int:
    with web.db.transaction(identity.workspace_id) as conn:
        names = known_types(conn, identity.workspace_id).names
        found = unsettled_documents(conn, identity.workspace_id, names, _AT_ONCE)
        queued = classify_again(conn, found)
    log.event("types_again", documents=queued, user=identity.user_id)
    return queued


def _back(words: str) -> Response:
    response = RedirectResponse("/types", 303)
    say(response, [Notice("good", words)])
    return response
