"""The web application: its routes, its guard, and what starts and stops with it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from docyard.web import events, probes
from docyard.web.api import RESOURCES
from docyard.web.context import Web
from docyard.web.errors import LastResort, add_error_handlers
from docyard.web.live import Hub
from docyard.web.metrics import route as metrics
from docyard.web.pages import PAGES
from docyard.web.security import Guard
from docyard.web.static_files import VersionedFiles


def create_app(web: Web) -> FastAPI:
    """The application for one installation."""
    # The generated documentation pages load scripts from elsewhere, which our policy forbids.
    app = FastAPI(title="Docyard", openapi_url=None, lifespan=_lifespan)
    app.state.web = web
    app.state.hub = Hub(web.db)
    for routes in (probes.routes, metrics.routes, *PAGES, events.routes, *RESOURCES):
        app.include_router(routes)
    app.mount("/static", VersionedFiles(), name="static")
    add_error_handlers(app)
    # The one added last stands outermost.
    app.add_middleware(LastResort)
    # Whoever knows the token may ask under any address; without one, the right name is part of the check.
    scraped = ("/metrics",) if web.metrics_token else ()
    app.add_middleware(Guard, allowed_hosts=web.allowed_hosts, open_paths=scraped)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    hub: Hub = app.state.hub
    hub.start()
    yield
    await run_in_threadpool(hub.stop)
