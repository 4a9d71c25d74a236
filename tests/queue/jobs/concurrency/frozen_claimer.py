"""A process that claims jobs and is suspended while the server sends the answer."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from uuid import UUID

from docyard import queue
from docyard.db import Connection, Database
from tests.queue.queue_workers import POOL

# The server sends this notice at once, while it executes the claim.
NOTICE_TRIGGER = """
CREATE FUNCTION say_claimed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE NOTICE 'claimed';
    RETURN NULL;
END $$;
CREATE TRIGGER say_claimed AFTER UPDATE ON jobs FOR EACH STATEMENT EXECUTE FUNCTION say_claimed();
"""


def _claim(address: str, worker_id: UUID, limit: int) -> None:
    with Database(lambda: address, size=1).connect() as conn:
        conn.add_notice_handler(lambda _notice: os.kill(os.getpid(), signal.SIGSTOP))
        queue.claim(conn, POOL, worker_id, limit)


@contextmanager
def frozen_claimer(conn: Connection, address: str, worker_id: UUID, limit: int) -> Iterator[BaseProcess]:
    """Start a process that claims jobs, and wait until it is suspended before it has read them."""
    conn.execute(NOTICE_TRIGGER.encode())
    process = multiprocessing.get_context("spawn").Process(target=_claim, args=(address, worker_id, limit))
    process.start()
    try:
        assert process.pid
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        conn.execute("DROP FUNCTION say_claimed CASCADE")
        yield process
    finally:
        process.kill()
        process.join(30)
