"""The Language models page, for admins of the workspace; API keys are never shown."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from docyard import queue
from docyard.db import Connection
from docyard.errors import BadInput
from docyard.model.connections import PROVIDERS, test_dedupe_key
from docyard.store.connections import ConnectionSummary, list_connections
from docyard.store.users import Identity
from docyard.web.actions.connections import add_one, queue_connection_test, remove_one, select_connection
from docyard.web.context import TheWeb, Web
from docyard.web.identity import ActingAdmin, Admin, Fields
from docyard.web.inputs import ConnectionId
from docyard.web.view.notices import Notice, set_notices
from docyard.web.view.templates import render

routes = APIRouter()
_PAGE = "/connections"


@routes.get(_PAGE)
def show_connections(request: Request, web: TheWeb, identity: Admin) -> Response:
    """Show all connections with their actions."""
    return _page(request, web, identity)


@routes.post(_PAGE)
def add(request: Request, web: TheWeb, identity: ActingAdmin, fields: Fields) -> Response:
    """Add a connection; after an error, show the form again with the values entered, except the API key."""
    try:
        add_one(web, identity, fields)
    except BadInput as refusal:
        given = {name: value for name, value in fields.items() if name != "key"}
        return _page(request, web, identity, given=given, refusal=str(refusal))
    return _redirect(f"{fields.get('name', '').strip()} added. Test it before you use it for classification.")


@routes.post(f"{_PAGE}/classifying")
def choose(web: TheWeb, identity: ActingAdmin, fields: Fields) -> Response:
    """Select the connection that classifies documents, or deselect the current one."""
    chosen = select_connection(web, identity, fields)
    return _redirect(
        "This model now classifies documents." if chosen else "No language model classifies documents now."
    )


@routes.post(f"{_PAGE}/{{connection_id}}/test")
def test(web: TheWeb, identity: ActingAdmin, connection_id: ConnectionId) -> Response:
    """Queue a test of the model for a worker, because only workers can decrypt API keys."""
    queue_connection_test(web, identity, connection_id)
    return _redirect("Test queued. The result will appear here.")


@routes.post(f"{_PAGE}/{{connection_id}}/remove")
def remove(web: TheWeb, identity: ActingAdmin, connection_id: ConnectionId) -> Response:
    """Remove a connection and its API key."""
    remove_one(web, identity, connection_id)
    return _redirect("Connection and API key removed.")


def _page(
    request: Request, web: Web, identity: Identity, given: dict[str, str] | None = None, refusal: str = ""
) -> Response:
    with web.db.transaction(identity.workspace_id) as conn:
        found = list_connections(conn, identity.workspace_id)
        trying = {each.id for each in found if _is_being_tested(conn, identity, each)}
    return render(
        request,
        "connections.html",
        400 if refusal else 200,
        connections=found,
        trying=trying,
        providers=PROVIDERS,
        sealed=web.seal is not None,
        given=given or {},
        refusal=refusal,
    )


def _is_being_tested(conn: Connection, identity: Identity, each: ConnectionSummary) -> bool:
    """Return whether a test of the connection is queued or running."""
    return queue.find_by_dedupe_key(conn, identity.workspace_id, test_dedupe_key(each.id)) is not None


def _redirect(words: str) -> Response:
    response = RedirectResponse(_PAGE, 303)
    set_notices(response, [Notice("good", words)])
    return response
