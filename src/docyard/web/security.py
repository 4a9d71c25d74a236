"""Checks of host, origin and CSRF token, and the security headers of every response."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docyard import log
from docyard.clock import monotonic
from docyard.errors import NotAllowed
from docyard.store.users import Identity
from docyard.web.errors import WorkspaceSwitched

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # a sign-in link must not leak as a referrer
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
# Load balancers send probes with any Host header; the responses contain nothing confidential.
_PROBES = ("/healthz", "/readyz")
_UNKNOWN_HOST = "Docyard does not serve this host name. Set DOCYARD_PUBLIC_URL to the address that users open."


class Guard:
    """Middleware that refuses unknown hosts and cross-site writes and adds security headers."""

    def __init__(self, app: ASGIApp, allowed_hosts: tuple[str, ...], open_paths: tuple[str, ...] = ()) -> None:
        self._app = app
        self._open_paths = (*_PROBES, *open_paths)
        self._hosts = {host.lower() for host in allowed_hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = monotonic()

        async def guarded_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(MutableHeaders(scope=message))
                _log(scope, message["status"], monotonic() - started)
            await send(message)

        refusal = self._refusal(scope)
        await (refusal or self._app)(scope, receive, guarded_send)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        if scope["path"] not in self._open_paths and host_name(headers.get("host", "")) not in self._hosts:
            return PlainTextResponse(_UNKNOWN_HOST, 421)
        if scope["method"] not in SAFE_METHODS and is_cross_site(headers):
            return PlainTextResponse("This request came from another site and was refused.", 403)
        return None


def host_name(host: str) -> str:
    """Return the host of a Host header without the port; empty if malformed."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def is_cross_site(headers: Mapping[str, str]) -> bool:
    """Return whether the browser reports that a page of another origin sent the request."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    # Our pages send no referrer, so browsers send "null" here; the CSRF token is still checked.
    if origin is None or origin == "null":
        return False
    try:
        return urlsplit(origin).netloc.lower() != headers.get("host", "").lower()
    except ValueError:
        return True


def check_csrf_token(identity: Identity, fields: Mapping[str, str]) -> None:
    """Raise NotAllowed if the CSRF token is wrong, WorkspaceSwitched if the form names another workspace."""
    if not hmac.compare_digest(fields.get("csrf", "").encode(), identity.csrf_token.encode()):
        raise NotAllowed("This page is out of date. Reload it, then try again.")
    # A page opened in one workspace must not change another, which the user selected later in another window.
    if fields.get("workspace", str(identity.workspace_id)) != str(identity.workspace_id):
        raise WorkspaceSwitched


def _add_headers(headers: MutableHeaders) -> None:
    for name, value in _HEADERS.items():
        headers.setdefault(name, value)


def _log(scope: Scope, status: int, seconds: float) -> None:
    # Never log the query string: it may contain a sign-in token or the words of a search.
    log.debug("request", method=scope["method"], path=scope["path"], status=status, ms=round(seconds * 1000))
