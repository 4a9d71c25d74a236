"""LLM connections to the test server, with API keys encrypted with a test secret."""

from __future__ import annotations

from uuid import UUID

from docyard.db import Database
from docyard.model.connections import NewConnection
from docyard.store.connections import PoolLimits, add_connection, set_classifier
from docyard.store.key_encryption import KeyCipher
from tests.builders.ai_server import KEY, AiServer

CIPHER = KeyCipher(["a secret of the test suite"])
BOUNDS = PoolLimits(running=10, rate=20.0)


def add_test_connection(
    database: Database,
    workspace: UUID,
    server: AiServer,
    *,
    name: str = "Ours",
    key: str = KEY,
    classifies: bool = True,
) -> UUID:
    """Add a connection to the server and return its id; with `classifies`, it classifies the documents."""
    new = NewConnection(name, "openai", "small-1", f"http://127.0.0.1:{server.port}/v1", key)
    with database.transaction(workspace) as conn:
        connection_id = add_connection(conn, new, CIPHER, BOUNDS)
        if classifies:
            set_classifier(conn, workspace, connection_id)
    return connection_id
