"""The Document types page, for admins of the workspace."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from docyard.errors import BadInput
from docyard.facts.vocabulary import describe_types
from docyard.store.document_types import load_types
from docyard.store.documents import count_types
from docyard.store.users import Identity
from docyard.web.actions import types
from docyard.web.context import TheWeb, Web
from docyard.web.identity import ActingAdmin, Admin, Fields
from docyard.web.view.notices import Notice, set_notices
from docyard.web.view.templates import render

routes = APIRouter()


@routes.get("/types")
def show_types(request: Request, web: TheWeb, identity: Admin) -> Response:
    """Show all types with their actions."""
    return _page(request, web, identity)


@routes.post("/types")
def add_by_form(request: Request, web: TheWeb, identity: ActingAdmin, fields: Fields) -> Response:
    """Add or change a custom type; after an error, show the form again with the values entered."""
    try:
        added = types.add_type(web, identity, fields)
    except BadInput as refusal:
        return _page(request, web, identity, given=fields, refusal=str(refusal))
    return _redirect(f"Type {added.name} saved.")


@routes.post("/types/again")
def again_by_form(web: TheWeb, identity: ActingAdmin) -> Response:
    """Queue documents of an uncertain, removed or switched-off type for classification."""
    queued = types.reclassify_uncertain(web, identity)
    more = " There may be more. Classify again when these are completed." if queued == types.MAX_REQUEUED else ""
    documents = "1 document" if queued == 1 else f"{queued:,} documents"
    return _redirect(f"{documents} queued for classification.{more}")


@routes.post("/types/{name}/remove")
def remove_by_form(web: TheWeb, identity: ActingAdmin, name: str) -> Response:
    """Remove a custom type."""
    types.remove(web, identity, name)
    return _redirect(f"Type {name} removed.")


@routes.post("/types/{name}/{switch}")
def switch_by_form(web: TheWeb, identity: ActingAdmin, name: str, switch: types.Switch) -> Response:
    """Switch a type on or off."""
    types.switch(web, identity, name, switch)
    return _redirect(f"Type {name} switched {switch}.")


def _page(
    request: Request, web: Web, identity: Identity, given: dict[str, str] | None = None, refusal: str = ""
) -> Response:
    with web.db.transaction(identity.workspace_id) as conn:
        known = load_types(conn, identity.workspace_id)
        counts = count_types(conn, identity.workspace_id)
    unsettled = sum(count for name, count in counts.items() if name not in known.names)
    return render(
        request,
        "types.html",
        400 if refusal else 200,
        types=describe_types(known),
        counts=counts,
        unsettled=unsettled,
        given=given or {},
        refusal=refusal,
    )


def _redirect(words: str) -> Response:
    response = RedirectResponse("/types", 303)
    set_notices(response, [Notice("good", words)])
    return response
