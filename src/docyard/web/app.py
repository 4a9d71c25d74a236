"""The web application: routes, middleware, startup and shutdown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from docyard.web import events, probes
from docyard.web.api import RESOURCES
from docyard.web.context import Web
from docyard.web.errors import CrashHandler, add_error_handlers
from docyard.web.live import Hub
from docyard.web.metrics import route as metrics
from docyard.web.pages import PAGES
from docyard.web.security import Guard
from docyard.web.static_files import VersionedFiles


def create_app(web: Web) -> FastAPI:
    """Return the application with its routes and middleware."""
    # No documentation pages: they load scripts from other sites, which the content security policy forbids.
    app = FastAPI(title="Docyard", openapi_url=None, lifespan=_lifespan)
    app.state.web = web
    app.state.hub = Hub(web.db)
    for routes in (probes.routes, metrics.routes, *PAGES, events.routes, *RESOURCES):
        app.include_router(routes)
    app.mount("/static", VersionedFiles(), name="static")
    add_error_handlers(app)
    # The middleware added last is the outermost.
    app.add_middleware(CrashHandler)
    # If a token protects /metrics, requests to it may have any Host header.
    open_paths = ("/metrics",) if web.metrics_token else ()
    app.add_middleware(Guard, allowed_hosts=web.allowed_hosts, open_paths=open_paths)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    hub: Hub = app.state.hub
    hub.start()
    yield
    await run_in_threadpool(hub.stop)
