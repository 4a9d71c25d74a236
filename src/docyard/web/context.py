"""What the web needs from the outside, as one value made by the entry point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from docyard.db import Database
from docyard.model.limits import Limits
from docyard.pipeline.children import ChildPool
from docyard.store.blobs import FolderBlobs
from docyard.store.connections import Bounds
from docyard.store.sealing import Seal


@dataclass(frozen=True, slots=True)
class Web:
    """The database as the unprivileged web role, the blobs, the confined children, and how we are reached."""

    db: Database
    blobs: FolderBlobs
    limits: Limits
    children: ChildPool
    allowed_hosts: tuple[str, ...]
    secure_cookies: bool
    metrics_token: str = ""
    embedder: ChildPool | None = (
        None  # keeps the sentence model loaded; without it search goes by words alone
    )
    seal: Seal | None = None  # closes the keys of connections; the web has no right to read them again
    bounds: Bounds = Bounds(running=10, rate=20.0)  # noqa: RUF009 (frozen, so it can be shared)


async def _web(connection: HTTPConnection) -> Web:
    web: Web = connection.app.state.web
    return web


TheWeb = Annotated[Web, Depends(_web)]
