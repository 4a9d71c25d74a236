"""Pools that are added: made once, bounded from the start, with a deadline that outlasts any call."""

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
from tests.queue.crew import fill, hired


def made(conn: Connection, name: str) -> dict[str, object]:
    (row,) = conn.execute(
        "SELECT resource, max_running, rate_per_second, burst, deadline_seconds FROM pools WHERE pool = %s",
        (name,),
    ).fetchall()
    return row


def test_a_pool_is_made_once_and_keeps_its_limits(conn: Connection) -> None:
    assert control.create_pool(conn, "gpt", "llm", max_running=10, rate=20.0, burst=10)
    first = made(conn, "gpt")
    assert first == {
        "resource": "llm",
        "max_running": 10,
        "rate_per_second": 20.0,
        "burst": 10,
        "deadline_seconds": timeouts.DEADLINE,
    }
    assert not control.create_pool(conn, "gpt", "llm", max_running=1, rate=None, burst=1)
    assert made(conn, "gpt") == first
    with pytest.raises(BadInput, match="needs llm, not cpu"):
        control.create_pool(conn, "gpt", "cpu", max_running=None, rate=None, burst=1)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"resource": "gpu"}, "cpu, ocr, llm or embed"),
        ({"max_running": 0}, "more than zero"),
        ({"rate": 0.0}, "more than zero"),
        ({"burst": 0}, "more than zero"),
    ],
)
def test_limits_that_cannot_be_are_refused_in_words(
    conn: Connection, given: dict[str, object], error: str
) -> None:
    limits = {"resource": "llm", "max_running": 1, "rate": 1.0, "burst": 1, **given}
    with pytest.raises(BadInput, match=error):
        control.create_pool(conn, "bad", **limits)  # type: ignore[arg-type]


def test_every_deadline_outlasts_the_longest_call(conn: Connection) -> None:
    control.create_pool(conn, "gpt", "llm", max_running=10, rate=20.0, burst=10)
    longest = max(timeouts.DOCUMENT, timeouts.AI_CLASSIFICATION, timeouts.EMBEDDING)
    rows = conn.execute("SELECT pool FROM pools WHERE deadline_seconds <= %s", (longest,)).fetchall()
    assert rows == []
    assert timeouts.hierarchy_holds()


def test_what_a_new_pool_runs_at_once_is_bounded(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    control.create_pool(conn, "gpt", "llm", max_running=3, rate=None, burst=1)
    fill(conn, workspace, Tier.BACKGROUND, 5, pool="gpt")
    assert len(queue.claim(conn, "gpt", hired(database), 5)) == 3
    with pytest.raises(BadInput, match="no such pool"):
        queue.enqueue(conn, [NewJob(workspace, "gpt-2", "test")])
