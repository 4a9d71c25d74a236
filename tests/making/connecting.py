"""LLM connections for tests: made through the store's own door, sealed with a secret of the test."""

from __future__ import annotations

from uuid import UUID

from docyard.db import Database
from docyard.model.connections import NewConnection
from docyard.store.connections import Bounds, add_connection, classify_with
from docyard.store.sealing import Seal
from tests.making.ai_server import KEY, AiServer

SEAL = Seal(["a secret of the test suite"])
BOUNDS = Bounds(running=10, rate=20.0)


def connect(
    database: Database,
    workspace: UUID,
    server: AiServer,
    *,
    name: str = "Ours",
    key: str = KEY,
    classifies: bool = True,
) -> UUID:
    """A connection of the workspace to the server, which classifies its documents unless said otherwise."""
    new = NewConnection(name, "openai", "small-1", f"http://127.0.0.1:{server.port}/v1", key)
    with database.transaction(workspace) as conn:
        made = add_connection(conn, new, SEAL, BOUNDS)
        if classifies:
            classify_with(conn, workspace, made)
    return made
