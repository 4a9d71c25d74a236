"""Timeouts: their values, and that whoever waits outlasts what it waits for."""

from __future__ import annotations

import pytest

from docyard.db import Connection
from docyard.ids import new_worker_id
from docyard.model import timeouts
from docyard.model.limits import Limits
from docyard.settings import Settings


def test_each_has_the_value_people_were_promised() -> None:
    assert (timeouts.DOCUMENT, timeouts.AI_CLASSIFICATION, timeouts.CLASSIFICATION_WAIT) == (600, 90, 180)
    assert (timeouts.DOWNLOAD, timeouts.UPLOAD, timeouts.EMBEDDING) == (60, 60, 30)


@pytest.mark.parametrize(
    ("name", "value"),
    [("DEADLINE", 600.0), ("CLASSIFICATION_WAIT", 150.0), ("DOCUMENT", 700.0), ("AI_CLASSIFICATION", 120.0)],
)
def test_a_value_that_would_turn_the_order_round_is_noticed(
    monkeypatch: pytest.MonkeyPatch, name: str, value: float
) -> None:
    assert timeouts.hierarchy_holds()
    monkeypatch.setattr(timeouts, name, value)
    assert not timeouts.hierarchy_holds()


def test_the_deadline_of_every_pool_outlasts_a_document_and_a_stage(conn: Connection) -> None:
    rows = conn.execute("SELECT deadline_seconds FROM pools").fetchall()
    assert rows
    for row in rows:
        assert row["deadline_seconds"] >= timeouts.DEADLINE > timeouts.DOCUMENT
    assert Limits().stage_seconds <= timeouts.DOCUMENT
    assert Settings().stage_seconds <= timeouts.DOCUMENT


def test_no_two_workers_share_an_id() -> None:
    assert len({new_worker_id() for _ in range(10_000)}) == 10_000
