"""The user of a request: session cookie, form fields, CSRF token and role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from docyard.errors import NotAllowed, TooLarge
from docyard.store import users
from docyard.store.users import Identity
from docyard.web.context import TheWeb, Web
from docyard.web.errors import NotSignedIn
from docyard.web.security import check_csrf_token

_MAX_FORM = 16_384  # bytes


@dataclass(frozen=True, slots=True)
class SignedInUser:
    """A signed-in user and the token of the session."""

    session: str
    identity: Identity


def cookie_name(web: Web) -> str:
    """Return the name of the session cookie; with HTTPS, its prefix prevents other hosts from setting it."""
    return "__Host-docyard_session" if web.secure_cookies else "docyard_session"


def set_session_cookie(web: Web, response: Response, session: str) -> None:
    """Set the session cookie."""
    response.set_cookie(
        cookie_name(web),
        session,
        max_age=users.SESSION_DAYS * 86_400,
        httponly=True,
        samesite="lax",
        secure=web.secure_cookies,
    )


def delete_session_cookie(web: Web, response: Response) -> None:
    """Delete the session cookie."""
    response.delete_cookie(cookie_name(web), httponly=True, samesite="lax", secure=web.secure_cookies)


def find_identity(web: Web, session: str) -> Identity | None:
    """Return the user of a session; None if the session is unknown or has ended."""
    with web.db.transaction() as conn:
        return users.get_identity(conn, session)


def signed_in_user(request: Request, web: TheWeb) -> SignedInUser:
    """Return the user and set `request.state.identity`; raise NotSignedIn without a valid session."""
    session = request.cookies.get(cookie_name(web), "")
    identity = find_identity(web, session) if session else None
    if identity is None:
        raise NotSignedIn("You are not signed in, or your session has ended. Ask for a new sign-in link.")
    request.state.identity = identity
    return SignedInUser(session, identity)


CurrentUser = Annotated[SignedInUser, Depends(signed_in_user)]


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a URL-encoded form, none for other content types; raise TooLarge above 16 KiB."""
    if request.headers.get("content-type", "").split(";")[0] != "application/x-www-form-urlencoded":
        return {}
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_FORM:
            raise TooLarge("This form is too large. Shorten the text, then send it again.")
    return dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True))


Fields = Annotated[dict[str, str], Depends(read_form)]


def read_token_headers(request: Request) -> dict[str, str]:
    """Return the CSRF token and workspace that scripts send in headers instead of hidden fields."""
    names = {"csrf": "x-csrf-token", "workspace": "x-docyard-workspace"}
    return {field: request.headers[name] for field, name in names.items() if name in request.headers}


def reader(who: CurrentUser) -> Identity:
    """Return the signed-in user; every role may read."""
    return who.identity


def editor(who: CurrentUser) -> Identity:
    """Return the user; raise NotAllowed unless the user is an editor or an admin."""
    if not who.identity.may_edit:
        raise NotAllowed("You can read this workspace but not change it. Ask an editor or an admin.")
    return who.identity


def admin(who: CurrentUser) -> Identity:
    """Return the user; raise NotAllowed unless the user is an admin of the workspace."""
    if who.identity.role != "admin":
        raise NotAllowed("Only admins of the workspace can do this.")
    return who.identity


def operator(who: CurrentUser) -> Identity:
    """Return the user; raise NotAllowed unless the user is an operator."""
    if not who.identity.operator:
        raise NotAllowed(f"Only operators can do this. To become one, run: docyard user operator {who.identity.email}")
    return who.identity


def actor(request: Request, who: CurrentUser, fields: Fields) -> SignedInUser:
    """Return the user who requests a change; raise NotAllowed without a valid CSRF token."""
    check_csrf_token(who.identity, {**fields, **read_token_headers(request)})
    return who


def writer(identity: Annotated[Identity, Depends(editor)], _: Annotated[SignedInUser, Depends(actor)]) -> Identity:
    """Return an editor or admin whose request has a valid CSRF token."""
    return identity


def acting_admin(identity: Annotated[Identity, Depends(admin)], _: Annotated[SignedInUser, Depends(actor)]) -> Identity:
    """Return an admin whose request has a valid CSRF token."""
    return identity


def acting_operator(
    identity: Annotated[Identity, Depends(operator)], _: Annotated[SignedInUser, Depends(actor)]
) -> Identity:
    """Return an operator whose request has a valid CSRF token."""
    return identity


Reader = Annotated[Identity, Depends(reader)]
Editor = Annotated[Identity, Depends(editor)]
Actor = Annotated[SignedInUser, Depends(actor)]
Writer = Annotated[Identity, Depends(writer)]
Admin = Annotated[Identity, Depends(admin)]
ActingAdmin = Annotated[Identity, Depends(acting_admin)]
Operator = Annotated[Identity, Depends(operator)]
ActingOperator = Annotated[Identity, Depends(acting_operator)]
