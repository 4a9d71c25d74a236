"""The services and settings that the web application uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from docyard.db import Database
from docyard.model.limits import Limits
from docyard.pipeline.children import ChildPool
from docyard.store.blobs import FolderBlobs
from docyard.store.connections import PoolLimits
from docyard.store.key_encryption import KeyCipher


@dataclass(frozen=True, slots=True)
class Web:
    """The services and settings of the web application; the database is used as the unprivileged web role."""

    db: Database
    blobs: FolderBlobs
    limits: Limits
    children: ChildPool
    allowed_hosts: tuple[str, ...]
    secure_cookies: bool
    metrics_token: str = ""
    embedder: ChildPool | None = None  # keeps the sentence model loaded; None: lexical search only
    seal: KeyCipher | None = None  # encrypts API keys of new connections; None: connections cannot be added
    bounds: PoolLimits = PoolLimits(running=10, rate=20.0)  # noqa: RUF009 (frozen, so instances can share it)


async def _web(connection: HTTPConnection) -> Web:
    web: Web = connection.app.state.web
    return web


TheWeb = Annotated[Web, Depends(_web)]
