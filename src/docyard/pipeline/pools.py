"""Database setup for this build: the schema, the tables for vectors, and the pools."""

from __future__ import annotations

from dataclasses import dataclass

from docyard.db import BoundedConnection, Connection, migrate, require_schema, retry_locked, set_short_lock_timeout
from docyard.db.schema import Upgrade
from docyard.errors import SchemaOutdated
from docyard.pipeline.attachments import RECEIVE_CHILD
from docyard.pipeline.embedding_jobs import POOL as EMBED
from docyard.queue.control import NewPool, PoolChanges, ensure_pools, find_pools
from docyard.stages import STAGES
from docyard.store.embeddings import has_vector_tables, prepare_embeddings

# Stages that call an LLM are missing here: they run in the pool of their connection.
POOLS = (
    *(NewPool(each.name, each.resource, each.output.__name__) for each in STAGES if not each.runs_in_worker),
    NewPool(RECEIVE_CHILD, "cpu"),
    NewPool(EMBED, "embed"),
)


@dataclass(frozen=True, slots=True)
class InstallResult:
    """The changes that `install` made to a database."""

    schema: Upgrade
    vectors: bool  # whether the tables for vectors were created
    pools: PoolChanges

    def __bool__(self) -> bool:
        return bool(self.schema or self.vectors or self.pools)


def install(conn: BoundedConnection) -> InstallResult:
    """Bring schema, vector tables and pools up to date for this build; `conn` must be in autocommit mode."""
    schema = migrate(conn)
    vectors = retry_locked(conn, "Creating the tables for vectors", _create_vector_tables)
    # Without the check, an operator's open transaction on a pool would block a start that changes nothing.
    changes = PoolChanges() if _has_pools(conn) else retry_locked(conn, "Creating the pools", _ensure_pools)
    return InstallResult(schema, vectors, changes)


def _has_pools(conn: Connection) -> bool:
    """Return whether the pools of this build exist; another build may have further pools."""
    return tuple(find_pools(conn, [pool.name for pool in POOLS])) == POOLS


def _ensure_pools(conn: Connection) -> PoolChanges:
    return ensure_pools(conn, POOLS)


def _create_vector_tables(conn: Connection) -> bool:
    """Create missing tables for vectors if pgvector is available; return whether tables were created."""
    with conn.transaction():
        set_short_lock_timeout(conn)  # the foreign keys of the new tables lock other tables
        existed = has_vector_tables(conn)
        return prepare_embeddings(conn) and not existed


def require_installed(conn: Connection) -> None:
    """Raise SetupError if the schema or the pools do not match this build."""
    require_schema(conn)
    if not _has_pools(conn):
        raise SchemaOutdated
