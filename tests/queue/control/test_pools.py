"""Tests of the creation of pools and their limits."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import BadInput
from docyard.model import timeouts
from docyard.model.jobs import NewJob
from docyard.model.tiers import Tier
from docyard.queue import control
from tests.queue.queue_workers import insert_jobs, register_worker_committed


def read_pool(conn: Connection, name: str) -> dict[str, object]:
    (row,) = conn.execute(
        "SELECT resource, max_running, rate_per_second, burst, deadline_seconds FROM pools WHERE pool = %s", (name,)
    ).fetchall()
    return row


def test_an_existing_pool_keeps_its_limits(conn: Connection) -> None:
    assert control.create_pool(conn, "gpt", "llm", max_running=10, rate=20.0, burst=10)
    first = read_pool(conn, "gpt")
    assert first == {
        "resource": "llm",
        "max_running": 10,
        "rate_per_second": 20.0,
        "burst": 10,
        "deadline_seconds": timeouts.DEADLINE,
    }
    assert not control.create_pool(conn, "gpt", "llm", max_running=1, rate=None, burst=1)
    assert read_pool(conn, "gpt") == first
    with pytest.raises(BadInput, match="uses the resource llm, not cpu"):
        control.create_pool(conn, "gpt", "cpu", max_running=None, rate=None, burst=1)


@pytest.mark.parametrize(
    ("invalid", "error"),
    [
        ({"resource": "gpu"}, "cpu, ocr, llm or embed"),
        ({"max_running": 0}, "greater than zero"),
        ({"rate": 0.0}, "greater than zero"),
        ({"burst": 0}, "greater than zero"),
    ],
)
def test_invalid_limits_are_rejected_with_a_message(conn: Connection, invalid: dict[str, object], error: str) -> None:
    limits = {"resource": "llm", "max_running": 1, "rate": 1.0, "burst": 1, **invalid}
    with pytest.raises(BadInput, match=error):
        control.create_pool(conn, "bad", **limits)  # type: ignore[arg-type]


def test_every_deadline_exceeds_the_longest_timeout(conn: Connection) -> None:
    control.create_pool(conn, "gpt", "llm", max_running=10, rate=20.0, burst=10)
    longest = max(timeouts.DOCUMENT, timeouts.AI_CLASSIFICATION, timeouts.EMBEDDING)
    rows = conn.execute("SELECT pool FROM pools WHERE deadline_seconds <= %s", (longest,)).fetchall()
    assert rows == []
    assert timeouts.is_order_valid()


def test_the_cap_of_a_new_pool_applies(database: Database, conn: Connection, workspace: UUID) -> None:
    control.create_pool(conn, "gpt", "llm", max_running=3, rate=None, burst=1)
    insert_jobs(conn, workspace, Tier.BACKGROUND, 5, pool="gpt")
    assert len(queue.claim(conn, "gpt", register_worker_committed(database), 5)) == 3
    with pytest.raises(BadInput, match="no such pool"):
        queue.enqueue(conn, [NewJob(workspace, "gpt-2", "test")])
