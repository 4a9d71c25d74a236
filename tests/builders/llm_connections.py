"""LLM connections to the test server, with API keys encrypted by a secret of the test suite."""

from __future__ import annotations

from uuid import UUID

from docyard.db import Database
from docyard.model.connections import NewConnection
from docyard.store.connections import Bounds, add_connection, classify_with
from docyard.store.key_encryption import Seal
from tests.builders.ai_server import KEY, AiServer

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
    """Add a connection to the server and, unless `classifies` is False, let it classify documents."""
    new = NewConnection(name, "openai", "small-1", f"http://127.0.0.1:{server.port}/v1", key)
    with database.transaction(workspace) as conn:
        connection_id = add_connection(conn, new, SEAL, BOUNDS)
        if classifies:
            classify_with(conn, workspace, connection_id)
    return connection_id
