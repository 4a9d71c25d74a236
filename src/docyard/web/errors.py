"""Error responses: an HTTP status and a message without internal details."""

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
    SetupError,
    StorageFull,
    StoreUnavailable,
    TooLarge,
    Unavailable,
    UploadStalled,
)
from docyard.web.view.templates import render


class NotSignedIn(DocyardError):
    """You are not signed in."""


class WorkspaceSwitched(DocyardError):
    """You switched to another workspace in another window. Reload this page, then try again."""


# The first match applies, so subclasses come before their base classes.
_STATUSES: tuple[tuple[type[DocyardError], int], ...] = (
    (NotSignedIn, 401),
    (NotAllowed, 403),
    (NotFound, 404),
    (WorkspaceSwitched, 409),
    (Changed, 409),
    (TooLarge, 413),
    (UploadStalled, 408),
    (BadInput, 400),
    (StorageFull, 507),
    (Unavailable, 503),
    (SetupError, 503),
    (Reject, 422),
    (Failure, 503),
)
_UNEXPECTED = "Something went wrong in Docyard. The error is in the log. Please try again."
_FULL = "Nothing was saved. Please contact the operator of this installation."
_HEADINGS = {
    400: "Request not accepted",
    401: "You are not signed in",
    403: "Not allowed",
    404: "Not found",
    405: "Not supported",
    408: "The upload stopped",
    409: "This page is out of date",
    413: "Too large",
    500: "Something went wrong",
    503: "Temporarily unavailable",
    507: "No space left",
}


def add_error_handlers(app: FastAPI) -> None:
    """Register handlers that answer expected errors with a status and a message."""
    app.add_exception_handler(DocyardError, _on_docyard_error)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(RequestValidationError, _on_invalid_request)


def http_status(error: DocyardError) -> int:
    """Return the HTTP status of an error."""
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


def user_message(error: DocyardError) -> str:
    """Return the message for users; that of a server error hides its cause, unless it is a Failure or a SetupError."""
    if isinstance(error, Unavailable):
        kind = StoreUnavailable if isinstance(error, StoreUnavailable) else type(error)
        return f"{kind.__doc__} {_FULL if kind is StorageFull else 'Please try again in a moment.'}"
    return str(error) if http_status(error) < 500 or isinstance(error, Failure | SetupError) else _UNEXPECTED


def retry_header(status: int) -> dict[str, str]:
    """Return the header that says when to try again, if the status is temporary."""
    return {"Retry-After": "5"} if status == 503 else {}


def error_response(request: Request, status: int, words: str) -> Response:
    """Return an error as JSON for paths below /api/, otherwise as a page."""
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": words}, status)
    heading = _HEADINGS.get(status, HTTPStatus(status).phrase)
    return render(request, "error.html", status, status=status, heading=heading, words=words)


async def _on_docyard_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, DocyardError):
        raise error
    status = http_status(error)
    if isinstance(error, NotSignedIn) and _is_page_visit(request):
        return RedirectResponse("/sign-in", 303)
    if status >= 500:
        log.warn("request_failed", path=request.url.path, status=status, error=str(error))
    response = error_response(request, status, user_message(error))
    response.headers.update(retry_header(status))
    return response


async def _on_http_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    words = "There is no such page." if error.status_code == 404 else HTTPStatus(error.status_code).description
    response = error_response(request, error.status_code, words or HTTPStatus(error.status_code).phrase)
    response.headers.update(error.headers or {})
    return response


async def _on_invalid_request(request: Request, _: Exception) -> Response:
    return error_response(request, 400, "The URL or the form is incomplete or contains an invalid value.")


class CrashHandler:
    """Middleware that answers unexpected exceptions with status 500.

    Starlette's own handler runs outside the Guard, so its responses would have no security headers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; answer 500 if the application raises before it has started to respond."""
        started = False

        async def tracking_send(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, tracking_send)
        except Exception as error:
            log.fail("request_crashed", error, method=scope.get("method"), path=scope.get("path"))
            if started or scope["type"] != "http":
                raise
            await error_response(Request(scope, receive), 500, _UNEXPECTED)(scope, receive, send)


def _is_page_visit(request: Request) -> bool:
    """Return whether a request is for a whole page; only such requests are redirected to the sign-in page."""
    path = request.url.path
    part = path.startswith("/api/") or path.endswith((".png", "/row", "/events", "/counts"))
    return request.method in ("GET", "HEAD") and not part
