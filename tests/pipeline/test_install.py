"""Database setup in addition to the schema: the tables for vectors, and the pools of the stages."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard import queue
from docyard.db import BoundedConnection, Connection, Database, lock_retries
from docyard.errors import MigrationFailed, SchemaOutdated
from docyard.pipeline.pools import POOLS, install, require_installed
from docyard.store.embeddings import has_vector_tables
from tests.pipeline.stage_runs import arrive, claim_document_job
from tests.queue.queue_workers import register_worker_committed


def test_creating_vector_tables_gives_up_on_a_locked_table(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock_retries, "_MAX_ATTEMPTS", 2)
    monkeypatch.setattr(lock_retries, "_TABLE_TIMEOUT", "50ms")
    monkeypatch.setattr(lock_retries, "_PAUSE_SECONDS", 0.05)
    with database.connect() as conn, database.connect() as other:
        conn.execute("DROP TABLE chunk_embeddings, tag_embeddings")
        conn.execute("SET statement_timeout = '20s'")  # far longer than both attempts
        with other.transaction():
            other.execute("LOCK TABLE documents IN ROW EXCLUSIVE MODE")
            with pytest.raises(MigrationFailed, match=r"tables for vectors.*could not lock a table in 2"):
                install(conn)
        assert not has_vector_tables(conn)
        install(conn)
        assert has_vector_tables(conn)


CHANGES = {
    "resource": "UPDATE pools SET resource = 'ocr' WHERE pool = 'chunk'",
    "gives": "UPDATE pools SET gives = 'Other' WHERE pool = 'chunk'",
    "place": "UPDATE pools SET place = 0 WHERE pool = 'chunk'",
    "no place": "UPDATE pools SET place = NULL WHERE pool = 'chunk'",
}


def load_settings(conn: Connection) -> list[dict[str, object]]:
    rows = conn.execute("SELECT pool, resource, place, gives, paused, max_running, rate_per_second FROM pools")
    return sorted(rows, key=lambda row: str(row["pool"]))


@pytest.mark.parametrize("change", CHANGES)
def test_updates_pools_and_keeps_the_settings_of_operators(conn: BoundedConnection, change: str) -> None:
    conn.execute("UPDATE pools SET paused = true, max_running = 3, rate_per_second = 2 WHERE pool = 'chunk'")
    before = load_settings(conn)
    require_installed(conn)
    conn.execute(CHANGES[change].encode())
    with pytest.raises(SchemaOutdated):
        require_installed(conn)
    done = install(conn).pools
    assert (done.made, [each.name for each in done.changed]) == ((), ["chunk"])
    assert load_settings(conn) == before
    require_installed(conn)
    assert not install(conn).pools


def test_running_jobs_keep_their_lease_when_the_resource_of_a_pool_changes(
    database: Database, conn: BoundedConnection, workspace: UUID
) -> None:
    arrive(database, workspace)
    conn.execute("UPDATE pools SET resource = 'ocr' WHERE pool = 'fetch'")
    lease = claim_document_job(database, register_worker_committed(database))
    install(conn)
    with database.transaction() as other:
        assert queue.lock_lease(other, lease) is not None


def test_accepts_additional_pools_of_a_newer_build(conn: Connection) -> None:
    """Processes of this build continue to work during an upgrade."""
    conn.execute("UPDATE pools SET place = place * 2")
    conn.execute("INSERT INTO pools (pool, resource, place, gives) VALUES ('translate', 'cpu', 5, 'Text')")
    require_installed(conn)
    assert "translate" not in {pool.name for pool in POOLS}
