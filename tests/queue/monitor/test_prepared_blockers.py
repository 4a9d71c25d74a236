"""Prepared transactions that hold locks are named; only a server configured for them accepts them."""

from __future__ import annotations

import psycopg
import pytest

from docyard.db import Database
from docyard.db.embedded import EmbeddedServer
from docyard.pipeline.pools import install
from docyard.queue import monitor
from docyard.queue.monitor import blockers
from tests.chaos.installation import wait_for
from tests.conftest import open_folder


def is_stopped(address: str) -> bool:
    """Return whether no server accepts connections at this address."""
    try:
        psycopg.connect(address).close()
    except psycopg.OperationalError:
        return True
    return False


@pytest.mark.long  # restarts a server
def test_names_a_prepared_transaction_that_holds_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blockers, "MIN_SECONDS", 0.0)
    with open_folder() as home:
        with EmbeddedServer.attach(home) as server, psycopg.connect(server.conninfo(), autocommit=True) as admin:
            admin.execute("ALTER SYSTEM SET max_prepared_transactions = 2")
            address = server.conninfo()
        wait_for(lambda: is_stopped(address), "the end of the server")
        with EmbeddedServer.attach(home) as server:
            db = Database(server.conninfo)
            with db.connect() as conn:
                install(conn)
                with psycopg.connect(server.conninfo()) as forgotten:
                    forgotten.execute("UPDATE tiers SET paused = false")
                    forgotten.execute("PREPARE TRANSACTION 'transfer-7'")
                (found,) = monitor.find_blockers(conn)
                conn.execute("ROLLBACK PREPARED 'transfer-7'")
                assert monitor.find_blockers(conn) == []
            db.close()
    assert (found.kind, found.name, found.pid, found.tables) == ("prepared transaction", "transfer-7", None, ["tiers"])
    assert "ROLLBACK PREPARED" in monitor.advise_on_blocker(found).command
