"""A worker without progress restarts its connections, then its session, then ends; a stop has a bound."""

from __future__ import annotations

import threading
from uuid import uuid4

import pytest

from docyard import queue
from docyard.db import Database
from docyard.errors import Unavailable
from docyard.model.jobs import Worker
from docyard.worker.heartbeat import Heartbeat
from docyard.worker.stop_request import StopRequest
from tests.worker.worker_runs import wait_until


def test_a_main_loop_without_progress_loses_its_connections_then_its_session_then_the_process(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docyard.worker.heartbeat._RESTART_CONNECTIONS_AFTER", 0.5)
    monkeypatch.setattr("docyard.worker.heartbeat._RESTART_SESSION_AFTER", 2.0)
    monkeypatch.setattr("docyard.worker.heartbeat._END_PROCESS_AFTER", 0.1)
    worker = Worker(uuid4(), "host", 1, ("fetch",), 1, 30.0)
    with database.transaction() as conn:
        queue.register(conn, worker)
    lost, ended = threading.Event(), threading.Event()
    heartbeat = Heartbeat(database, worker.id, 30.0, lost.set, ended.set)
    heartbeat.start()
    try:
        with pytest.raises(Unavailable), database.transaction() as conn:
            conn.execute("SELECT pg_sleep(50)")
        assert not lost.is_set(), "new connections may suffice"
        assert lost.wait(30)
        assert ended.wait(30)
    finally:
        heartbeat.stop()


def test_a_heartbeat_records_progress(database: Database) -> None:
    worker = Worker(uuid4(), "host", 1, ("fetch",), 1, 30.0)
    with database.transaction() as conn:
        queue.register(conn, worker)
        assert queue.heartbeat(conn, worker.id, 100.0)
        row = conn.execute("SELECT extract(epoch FROM heartbeat_at - progress_at) > 99 AS idle FROM workers").fetchone()
    assert row == {"idle": True}


def test_draining_ends_after_its_time() -> None:
    stopping = StopRequest(drain_seconds=0.05)
    stopping.request_stop()
    wait_until(lambda: stopping.immediate, "the end of draining")
