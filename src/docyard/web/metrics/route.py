"""The `/metrics` route for Prometheus; it reads stored counts and never counts the queue itself."""

from __future__ import annotations

import hmac
from ipaddress import IPv6Address, ip_address

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from docyard.web.context import TheWeb, Web
from docyard.web.metrics.exposition import CONTENT_TYPE, format_metrics
from docyard.web.metrics.queue_metrics import collect_metrics, read_queue_data

routes = APIRouter()
# A request with one of these headers was forwarded, so it may come from another machine.
_FORWARDING = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")


@routes.get("/metrics")
def show_metrics(request: Request, web: TheWeb) -> Response:
    """Return all metrics to clients with the token or, if no token is set, to clients on this machine."""
    refusal = _refusal(request, web)
    if refusal is not None:
        return refusal
    with web.db.transaction(operator=True) as conn:
        facts = read_queue_data(conn)
    return Response(format_metrics(collect_metrics(facts)), media_type=CONTENT_TYPE)


def _refusal(request: Request, web: Web) -> Response | None:
    if web.metrics_token:
        given = request.headers.get("authorization", "")
        if hmac.compare_digest(given.encode(), f"Bearer {web.metrics_token}".encode()):
            return None
        challenge = {"WWW-Authenticate": "Bearer"}
        return PlainTextResponse("Metrics require the bearer token in DOCYARD_METRICS_TOKEN.\n", 401, challenge)
    if _is_loopback(request) and not any(name in request.headers for name in _FORWARDING):
        return None
    return PlainTextResponse(
        "Metrics are available only on this machine. Set DOCYARD_METRICS_TOKEN to allow other machines.\n", 403
    )


def _is_loopback(request: Request) -> bool:
    try:
        address = ip_address(request.client.host if request.client else "")
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback
