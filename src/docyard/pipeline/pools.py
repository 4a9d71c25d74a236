"""What this build needs in a database: its schema, a place for vectors, and the pools of the stages."""

from __future__ import annotations

from dataclasses import dataclass

from docyard.db import Connection, migrate, patiently, require_schema, wait_briefly
from docyard.db.schema import Upgrade
from docyard.errors import SchemaOutdated
from docyard.pipeline.attachments import RECEIVE_CHILD
from docyard.pipeline.embedding_jobs import POOL as EMBED
from docyard.queue.control import NewPool, PoolChanges, ensure_pools, registered_pools
from docyard.stages import STAGES
from docyard.store.embeddings import can_keep_embeddings, prepare_embeddings

# A stage that asks an LLM runs in the pool of its connection.
POOLS = (
    *(NewPool(each.name, each.resource, each.gives.__name__) for each in STAGES if not each.outside),
    NewPool(RECEIVE_CHILD, "cpu"),
    NewPool(EMBED, "embed"),
)


@dataclass(frozen=True, slots=True)
class Installed:
    """What was changed in a database for this build."""

    schema: Upgrade
    vectors: bool  # whether their tables were made
    pools: PoolChanges

    def __bool__(self) -> bool:
        return bool(self.schema or self.vectors or self.pools)


def install(conn: Connection) -> Installed:
    """Bring a database up to date for this build; `conn` must be in autocommit."""
    schema = migrate(conn)
    vectors = patiently(conn, "Creating the tables for vectors", _make_place_for_vectors)
    return Installed(schema, vectors, ensure_pools(conn, POOLS))


def _make_place_for_vectors(conn: Connection) -> bool:
    """Not a migration: pgvector may be installed later, or never."""
    with conn.transaction():
        wait_briefly(conn)  # the new tables refer to others, which are locked for that
        there = can_keep_embeddings(conn)
        return prepare_embeddings(conn) and not there


def require_installed(conn: Connection) -> None:
    """Refuse to work on a database that lacks what this build needs, and say what to do."""
    require_schema(conn)
    # Another build may have pools between ours, so only their order counts.
    if tuple(registered_pools(conn, [pool.name for pool in POOLS])) != POOLS:
        raise SchemaOutdated
