"""Sign-in with one-time links, sign-out, and the choice of workspace."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from docyard import log
from docyard.errors import NotAllowed, NotFound
from docyard.store import users
from docyard.web.context import TheWeb
from docyard.web.identity import (
    Actor,
    CurrentUser,
    Fields,
    cookie_name,
    delete_session_cookie,
    find_identity,
    set_session_cookie,
)
from docyard.web.inputs import parse_object_id
from docyard.web.view.templates import render

routes = APIRouter()


@routes.get("/sign-in")
def offer(request: Request, web: TheWeb, token: str = "") -> Response:
    """Show the sign-in button; opening the link does not use it up, because mail programs also open links."""
    if not token:
        return render(request, "sign_in.html", state="none", token="")
    with web.db.transaction() as conn:
        valid = users.is_link_valid(conn, token)
    session = request.cookies.get(cookie_name(web))
    if not valid and session and find_identity(web, session):
        return RedirectResponse("/", 303)  # a signed-in user opened an old link again
    return render(request, "sign_in.html", 200 if valid else 401, state="good" if valid else "used", token=token)


@routes.post("/sign-in")
def redeem(request: Request, web: TheWeb, fields: Fields) -> Response:
    """Redeem the link and start a session; end the previous session of the browser."""
    previous = request.cookies.get(cookie_name(web))
    with web.db.transaction() as conn:
        session = users.redeem_link(conn, fields.get("token", ""))
        if session and previous:
            users.end_session(conn, previous)
        kept = session is None and users.is_link_valid(conn, fields.get("token", ""))
    if kept:
        raise NotAllowed("You have no role in any workspace yet. When an admin has given you one, open the link again.")
    if session is None:
        return render(request, "sign_in.html", 401, state="used", token="")
    log.event("signed_in")
    response = RedirectResponse("/", 303)
    set_session_cookie(web, response, session)
    return response


@routes.post("/sign-out")
def sign_out(web: TheWeb, who: Actor) -> Response:
    """End the session and delete its cookie."""
    with web.db.transaction() as conn:
        users.end_session(conn, who.session)
    response = RedirectResponse("/sign-in", 303)
    delete_session_cookie(web, response)
    # After sign-out, the back button must not show cached pages.
    response.headers["Clear-Site-Data"] = '"cache"'
    return response


@routes.get("/workspaces")
def list_workspaces(request: Request, web: TheWeb, who: CurrentUser) -> Response:
    """Show the workspaces of the user."""
    with web.db.transaction() as conn:
        workspaces = users.session_workspaces(conn, who.session)
    return render(request, "workspaces.html", workspaces=workspaces)


@routes.post("/workspace")
def switch(web: TheWeb, who: Actor, fields: Fields) -> Response:
    """Switch to another workspace."""
    with web.db.transaction() as conn:
        switched = users.switch_session(conn, who.session, parse_object_id(fields.get("to", ""), "workspace"))
    if not switched:
        raise NotFound("You are not a member of this workspace.")
    return RedirectResponse("/", 303)
