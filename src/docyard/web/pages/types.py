"""The list of document types, for admins of the workspace: what is switched off, and what they added."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from docyard.errors import BadInput
from docyard.facts.vocabulary import described_types
from docyard.store.documents import count_types
from docyard.store.people import Identity
from docyard.store.types import known_types
from docyard.web.actions import types
from docyard.web.context import TheWeb, Web
from docyard.web.identity import ActingAdmin, Admin, Fields
from docyard.web.view.notices import Notice, say
from docyard.web.view.rendering import render

routes = APIRouter()


@routes.get("/types")
def show_types(request: Request, web: TheWeb, identity: Admin) -> Response:
    """All types, with what can be done about each."""
    return _page(request, web, identity)


@routes.post("/types")
def add_by_form(request: Request, web: TheWeb, identity: ActingAdmin, fields: Fields) -> Response:
    """Add a type of one's own, or describe it anew; what cannot be is said beside what was typed."""
    try:
        added = types.add_type(web, identity, fields)
    except BadInput as refusal:
        return _page(request, web, identity, given=fields, refusal=str(refusal))
    return _back(f"Documents can be of the type {added.name} from now on.")


@routes.post("/types/again")
def again_by_form(web: TheWeb, identity: ActingAdmin) -> Response:
    """Classify the documents again whose type is not sure or not on the list any more."""
    queued = types.classify_unsettled(web, identity)
    more = " There may be more: ask again when they are done." if queued == types.AT_ONCE else ""
    words = "1 document is" if queued == 1 else f"{queued:,} documents are"
    return _back(f"{words} being classified again.{more}")


@routes.post("/types/{name}/remove")
def remove_by_form(web: TheWeb, identity: ActingAdmin, name: str) -> Response:
    """Remove a type of one's own."""
    types.remove(web, identity, name)
    return _back(f"{name} is removed.")


@routes.post("/types/{name}/{switch}")
def switch_by_form(web: TheWeb, identity: ActingAdmin, name: str, switch: types.Switch) -> Response:
    """Switch a type on or off."""
    types.switch(web, identity, name, switch)
    return _back(f"{name} is switched {switch}.")


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


def _back(words: str) -> Response:
    response = RedirectResponse("/types", 303)
    say(response, [Notice("good", words)])
    return response
