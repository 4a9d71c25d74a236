"""The page of LLM connections, for admins of the workspace; what is kept of a key is never shown."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from docyard import queue
from docyard.db import Connection
from docyard.errors import BadInput
from docyard.model.connections import PROVIDERS, try_key
from docyard.store.connections import Listed, list_connections
from docyard.store.people import Identity
from docyard.web.actions.connections import add_one, choose_one, remove_one, try_one
from docyard.web.context import TheWeb, Web
from docyard.web.identity import ActingAdmin, Admin, Fields
from docyard.web.inputs import ConnectionId
from docyard.web.view.notices import Notice, say
from docyard.web.view.rendering import render

routes = APIRouter()
_PAGE = "/connections"


@routes.get(_PAGE)
def show_connections(request: Request, web: TheWeb, identity: Admin) -> Response:
    """All connections, with what can be done about each."""
    return _page(request, web, identity)


@routes.post(_PAGE)
def add(request: Request, web: TheWeb, identity: ActingAdmin, fields: Fields) -> Response:
    """Add a connection; what cannot be is said beside what was typed, but for the key."""
    try:
        add_one(web, identity, fields)
    except BadInput as refusal:
        typed = {name: value for name, value in fields.items() if name != "key"}
        return _page(request, web, identity, given=typed, refusal=str(refusal))
    return _back(f"{fields.get('name', '').strip()} is added. Test it before you choose it.")


@routes.post(f"{_PAGE}/classifying")
def choose(web: TheWeb, identity: ActingAdmin, fields: Fields) -> Response:
    """Let a connection classify documents from now on, or none."""
    chosen = choose_one(web, identity, fields)
    return _back("It classifies documents from now on." if chosen else "No model is asked any more.")


@routes.post(f"{_PAGE}/{{connection_id}}/test")
def test(web: TheWeb, identity: ActingAdmin, connection_id: ConnectionId) -> Response:
    """Let a worker ask the model something; only workers can open keys."""
    try_one(web, identity, connection_id)
    return _back("A worker asks it. What came of it is told here in a moment.")


@routes.post(f"{_PAGE}/{{connection_id}}/remove")
def remove(web: TheWeb, identity: ActingAdmin, connection_id: ConnectionId) -> Response:
    """Remove a connection with its key."""
    remove_one(web, identity, connection_id)
    return _back("It is removed, and its key with it.")


def _page(
    request: Request, web: Web, identity: Identity, given: dict[str, str] | None = None, refusal: str = ""
) -> Response:
    with web.db.transaction(identity.workspace_id) as conn:
        found = list_connections(conn, identity.workspace_id)
        trying = {each.id for each in found if _is_tried(conn, identity, each)}
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


def _is_tried(conn: Connection, identity: Identity, each: Listed) -> bool:
    """Whether somebody asked for a test that is not done yet."""
    return queue.find_live(conn, identity.workspace_id, try_key(each.id)) is not None


def _back(words: str) -> Response:
    response = RedirectResponse(_PAGE, 303)
    say(response, [Notice("good", words)])
    return response
