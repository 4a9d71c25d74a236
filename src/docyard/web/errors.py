"""Errors as answers: a status, words for people, and nothing of our insides."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docyard import log
from docyard.errors import (
    BadInput,
    Changed,
    DocyardError,
    Failure,
    NotAllowed,
    NotFound,
    Reject,
    Setup,
    Stalled,
    TooLarge,
    Unavailable,
)
from docyard.web.view.rendering import render


class NotSignedIn(DocyardError):
    """You are not signed in."""


class Elsewhere(DocyardError):
    """You have switched to another workspace in another window. Reload this page, then try again."""


# The first that fits wins, so the narrower ones come first.
_STATUSES: tuple[tuple[type[DocyardError], int], ...] = (
    (NotSignedIn, 401),
    (NotAllowed, 403),
    (NotFound, 404),
    (Elsewhere, 409),
    (Changed, 409),
    (TooLarge, 413),
    (Stalled, 408),
    (BadInput, 400),
    (Unavailable, 503),
    (Setup, 503),
    (Reject, 422),
    (Failure, 503),
)
_UNEXPECTED = "Something went wrong on our side. It has been written to the log; please try again."
_HEADINGS = {
    400: "That could not be accepted",
    401: "You are not signed in",
    403: "Not allowed",
    404: "Nothing here",
    405: "Not possible here",
    408: "The upload stopped",
    409: "You are in another workspace",
    413: "Too large",
    500: "Something went wrong",
    503: "Not available right now",
}


def add_error_handlers(app: FastAPI) -> None:
    """Answer every error in words."""
    app.add_exception_handler(DocyardError, _on_docyard_error)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(RequestValidationError, _on_invalid_request)


def status_of(error: DocyardError) -> int:
    """The status that tells a program what kind of error this is."""
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


def words_of(error: DocyardError) -> str:
    """What a person is told; where we are at fault, no addresses or internals."""
    if isinstance(error, Unavailable | Setup):
        return f"{(type(error).__doc__ or '').rstrip('.')}. Please try again in a moment."
    return str(error) if status_of(error) < 500 or isinstance(error, Failure) else _UNEXPECTED


def answer(request: Request, status: int, words: str) -> Response:
    """One error as JSON for programs and as a page for people."""
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": words}, status)
    heading = _HEADINGS.get(status, HTTPStatus(status).phrase)
    return render(request, "error.html", status, status=status, heading=heading, words=words)


async def _on_docyard_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, DocyardError):
        raise error
    status = status_of(error)
    if isinstance(error, NotSignedIn) and _is_page_visit(request):
        return RedirectResponse("/sign-in", 303)
    if status >= 500:
        log.warn("request_failed", path=request.url.path, status=status, error=str(error))
    response = answer(request, status, words_of(error))
    if status == 503:
        response.headers["Retry-After"] = "5"
    return response


async def _on_http_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    words = (
        "There is no such page." if error.status_code == 404 else HTTPStatus(error.status_code).description
    )
    response = answer(request, error.status_code, words or HTTPStatus(error.status_code).phrase)
    response.headers.update(error.headers or {})
    return response


async def _on_invalid_request(request: Request, _: Exception) -> Response:
    return answer(request, 400, "This address or form is not complete.")


class LastResort:
    """Answers what nobody expected; Starlette's own last resort stands outside the guard and its headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and answer for it if it crashes."""
        began = False

        async def noting_send(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        try:
            await self._app(scope, receive, noting_send)
        except Exception as error:
            log.fail("request_crashed", error, method=scope.get("method"), path=scope.get("path"))
            if began or scope["type"] != "http":
                raise
            await answer(Request(scope, receive), 500, _UNEXPECTED)(scope, receive, send)


def _is_page_visit(request: Request) -> bool:
    """Whether a browser came to look at a page, which can be sent on, rather than for a part of one."""
    path = request.url.path
    part = path.startswith("/api/") or path.endswith((".png", "/row", "/events", "/counts"))
    return request.method in ("GET", "HEAD") and not part
