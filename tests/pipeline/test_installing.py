"""What a build needs besides its schema: a place for vectors, and the pools of its stages."""

from __future__ import annotations

import pytest

from docyard.db import Database, patience
from docyard.errors import MigrationFailed
from docyard.pipeline.pools import install
from docyard.store.embeddings import can_keep_embeddings


def test_tables_for_vectors_do_not_wait_for_ever_behind_a_transaction(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "_TRIES", 2)
    monkeypatch.setattr(patience, "_TABLE_TIMEOUT", "50ms")
    monkeypatch.setattr(patience, "_PAUSE_SECONDS", 0.05)
    with database.connect() as conn, database.connect() as other:
        conn.execute("DROP TABLE chunk_embeddings, tag_embeddings")
        conn.execute("SET statement_timeout = '20s'")  # far longer than both tries
        with other.transaction():
            other.execute("LOCK TABLE documents IN ROW EXCLUSIVE MODE")
            with pytest.raises(MigrationFailed, match=r"tables for vectors.*could not lock a table in 2"):
                install(conn)
        assert not can_keep_embeddings(conn)
        install(conn)
        assert can_keep_embeddings(conn)
