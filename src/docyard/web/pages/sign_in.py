"""Signing in by a one-time link, signing out, and moving between workspaces."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from docyard import log
from docyard.errors import NotFound
from docyard.store import people
from docyard.web.context import TheWeb
from docyard.web.identity import Actor, Fields, TheVisitor, cookie_name, give_cookie, look_up, take_cookie
from docyard.web.inputs import known_id
from docyard.web.view.rendering import render

routes = APIRouter()


@routes.get("/sign-in")
def offer(request: Request, web: TheWeb, token: str = "") -> Response:
    """Show the button that uses the link; looking does not, or a preview of the link would use it up."""
    if not token:
        return render(request, "sign_in.html", state="none", token="")
    with web.db.transaction() as conn:
        good = people.link_is_good(conn, token)
    session = request.cookies.get(cookie_name(web))
    if not good and session and look_up(web, session):
        return RedirectResponse("/", 303)  # a link opened again by the person it signed in
    return render(
        request, "sign_in.html", 200 if good else 401, state="good" if good else "used", token=token
    )


@routes.post("/sign-in")
def redeem(request: Request, web: TheWeb, fields: Fields) -> Response:
    """Use the link up and open a session, in place of any the browser had."""
    before = request.cookies.get(cookie_name(web))
    with web.db.transaction() as conn:
        session = people.redeem_link(conn, fields.get("token", ""))
        if session and before:
            people.end_session(conn, before)
    if session is None:
        return render(request, "sign_in.html", 401, state="used", token="")
    log.event("signed_in")
    response = RedirectResponse("/", 303)
    give_cookie(web, response, session)
    return response


@routes.post("/sign-out")
def sign_out(web: TheWeb, who: Actor) -> Response:
    """End the session here and in the database."""
    with web.db.transaction() as conn:
        people.end_session(conn, who.session)
    response = RedirectResponse("/sign-in", 303)
    take_cookie(web, response)
    # The back button must not show what a signed-out person may no longer see.
    response.headers["Clear-Site-Data"] = '"cache"'
    return response


@routes.get("/workspaces")
def list_workspaces(request: Request, web: TheWeb, who: TheVisitor) -> Response:
    """The workspaces this person belongs to."""
    with web.db.transaction() as conn:
        workspaces = people.session_workspaces(conn, who.session)
    return render(request, "workspaces.html", workspaces=workspaces)


@routes.post("/workspace")
def switch(web: TheWeb, who: Actor, fields: Fields) -> Response:
    """Move to another workspace."""
    with web.db.transaction() as conn:
        switched = people.switch_session(conn, who.session, known_id(fields.get("to", ""), "workspace"))
    if not switched:
        raise NotFound("You do not belong to such a workspace.")
    return RedirectResponse("/", 303)
