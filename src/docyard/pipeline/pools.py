"""The pools that the pipeline needs, from the registry of stages, and the schema they live in."""

from __future__ import annotations

from docyard.db import Connection, migrate
from docyard.db.migrate import Upgrade
from docyard.pipeline.attachments import RECEIVE_CHILD
from docyard.pipeline.embedding_jobs import POOL as EMBED
from docyard.queue.control import ensure_pools
from docyard.stages import STAGES

# A stage that asks an LLM runs in the pool of its connection.
POOLS = {
    **{stage.name: stage.resource for stage in STAGES if not stage.outside},
    RECEIVE_CHILD: "cpu",
    EMBED: "embed",
}


def install(conn: Connection) -> Upgrade:
    """Bring the schema up to date and make the pools; `conn` must be in autocommit."""
    upgrade = migrate(conn)
    ensure_pools(conn, POOLS)
    return upgrade
