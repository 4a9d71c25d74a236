"""Each timeout has its documented value, and is longer than the timeouts of the operations it covers."""

from __future__ import annotations

import pytest

from docyard.db import Connection
from docyard.ids import new_worker_id
from docyard.model import timeouts
from docyard.model.limits import Limits
from docyard.settings import Settings


def test_timeouts_have_their_documented_values() -> None:
    assert (timeouts.DOCUMENT, timeouts.AI_CLASSIFICATION, timeouts.CLASSIFICATION_WAIT) == (600, 90, 180)
    assert (timeouts.DOWNLOAD, timeouts.UPLOAD, timeouts.EMBEDDING) == (60, 60, 30)


@pytest.mark.parametrize(
    ("name", "value"),
    [("DEADLINE", 600.0), ("CLASSIFICATION_WAIT", 150.0), ("DOCUMENT", 700.0), ("AI_CLASSIFICATION", 120.0)],
)
def test_detects_a_value_that_breaks_the_order(monkeypatch: pytest.MonkeyPatch, name: str, value: float) -> None:
    assert timeouts.is_order_valid()
    monkeypatch.setattr(timeouts, name, value)
    assert not timeouts.is_order_valid()


def test_deadline_of_every_pool_exceeds_document_and_stage_timeouts(conn: Connection) -> None:
    rows = conn.execute("SELECT deadline_seconds FROM pools").fetchall()
    assert rows
    for row in rows:
        assert row["deadline_seconds"] >= timeouts.DEADLINE > timeouts.DOCUMENT
    assert Limits().stage_seconds <= timeouts.DOCUMENT
    assert Settings().stage_seconds <= timeouts.DOCUMENT


def test_worker_ids_are_unique() -> None:
    assert len({new_worker_id() for _ in range(10_000)}) == 10_000
