"""Who is asking: the session behind a cookie, and what it may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from docyard.errors import NotAllowed, TooLarge
from docyard.store import people
from docyard.store.people import Identity
from docyard.web.context import TheWeb, Web
from docyard.web.errors import NotSignedIn
from docyard.web.security import require_token

_LARGEST_FORM = 16_384


@dataclass(frozen=True, slots=True)
class Visitor:
    """A signed-in person, with the session that says so."""

    session: str
    identity: Identity


def cookie_name(web: Web) -> str:
    """With the prefix, browsers refuse a cookie that another host or an unencrypted page has set."""
    return "__Host-docyard_session" if web.secure_cookies else "docyard_session"


def give_cookie(web: Web, response: Response, session: str) -> None:
    """Let the browser keep the session."""
    response.set_cookie(
        cookie_name(web),
        session,
        max_age=people.SESSION_DAYS * 86_400,
        httponly=True,
        samesite="lax",
        secure=web.secure_cookies,
    )


def take_cookie(web: Web, response: Response) -> None:
    """Let the browser forget the session."""
    response.delete_cookie(cookie_name(web), httponly=True, samesite="lax", secure=web.secure_cookies)


def look_up(web: Web, session: str) -> Identity | None:
    """Whose session this is, if it still is one."""
    with web.db.transaction() as conn:
        return people.identity(conn, session)


def visitor(request: Request, web: TheWeb) -> Visitor:
    """The person asking, or NotSignedIn."""
    session = request.cookies.get(cookie_name(web), "")
    identity = look_up(web, session) if session else None
    if identity is None:
        raise NotSignedIn("You are not signed in, or your session has ended. Ask for a new sign-in link.")
    request.state.identity = identity
    return Visitor(session, identity)


TheVisitor = Annotated[Visitor, Depends(visitor)]


async def small_form(request: Request) -> dict[str, str]:
    """The fields of a plain form; anything larger than our forms is refused unread."""
    if request.headers.get("content-type", "").split(";")[0] != "application/x-www-form-urlencoded":
        return {}
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LARGEST_FORM:
            raise TooLarge("This form is larger than any of ours.")
    return dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True))


Fields = Annotated[dict[str, str], Depends(small_form)]


def token_in_headers(request: Request) -> dict[str, str]:
    """What a script of ours sends in place of hidden fields."""
    names = {"csrf": "x-csrf-token", "workspace": "x-docyard-workspace"}
    return {field: request.headers[name] for field, name in names.items() if name in request.headers}


def reader(who: TheVisitor) -> Identity:
    """A person who may look."""
    return who.identity


def editor(who: TheVisitor) -> Identity:
    """A person who may change documents."""
    if not who.identity.may_edit:
        raise NotAllowed("You may read this workspace, but not change it. Ask an editor or admin.")
    return who.identity


def admin(who: TheVisitor) -> Identity:
    """A person who may change what a workspace is connected to."""
    if who.identity.role != "admin":
        raise NotAllowed("This is for admins of the workspace.")
    return who.identity


def operator(who: TheVisitor) -> Identity:
    """A person who looks after all workspaces."""
    if not who.identity.operator:
        raise NotAllowed(
            f"This is for operators. One is made with: docyard user operator {who.identity.email}"
        )
    return who.identity


def actor(request: Request, who: TheVisitor, fields: Fields) -> Visitor:
    """A person who asked for a change on a page of ours."""
    require_token(who.identity, {**fields, **token_in_headers(request)})
    return who


def writer(identity: Annotated[Identity, Depends(editor)], _: Annotated[Visitor, Depends(actor)]) -> Identity:
    """A person who may change documents and asked for it on a page of ours."""
    return identity


def acting_admin(
    identity: Annotated[Identity, Depends(admin)], _: Annotated[Visitor, Depends(actor)]
) -> Identity:
    """An admin who asked for a change on a page of ours."""
    return identity


def acting_operator(
    identity: Annotated[Identity, Depends(operator)], _: Annotated[Visitor, Depends(actor)]
) -> Identity:
    """An operator who asked for a change on a page of ours."""
    return identity


Reader = Annotated[Identity, Depends(reader)]
Editor = Annotated[Identity, Depends(editor)]
Actor = Annotated[Visitor, Depends(actor)]
Writer = Annotated[Identity, Depends(writer)]
Admin = Annotated[Identity, Depends(admin)]
ActingAdmin = Annotated[Identity, Depends(acting_admin)]
Operator = Annotated[Identity, Depends(operator)]
ActingOperator = Annotated[Identity, Depends(acting_operator)]
