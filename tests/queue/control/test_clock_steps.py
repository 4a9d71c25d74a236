"""Comparison of the database's clock with a worker's own."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.db import Connection, Database
from docyard.pipeline.run import Pipeline
from docyard.queue import control
from docyard.queue.control import ClockReading, ClockStep
from docyard.queue.control.clock_steps import TOLERANCE_SECONDS, find_step, find_step_before, move_anchor
from docyard.worker.clock_watch import ClockWatch
from tests.queue.control.clock_shifts import count_seconds_ahead
from tests.queue.queue_workers import register_worker_committed

_DELAYS = st.floats(0, 3)
_STEPS = st.floats(-1e6, 1e6)
_READINGS = st.builds(
    lambda sent, way, back, database, shifted: (ClockReading(sent, sent + way + back, database, shifted), way),
    *(st.floats(0, 1e6), _DELAYS, _DELAYS, st.floats(1.7e9, 1.9e9), _STEPS),
)


def _read_later(last: ClockReading, read_at: float, elapsed: float, rate: float, step: float) -> ClockReading:
    """Return an exact reading, `elapsed` seconds after the moment at which the last one was taken."""
    taken = read_at + elapsed
    return ClockReading(taken - 0.01, taken + 0.01, last.database + elapsed * rate + step, last.shifted)


@given(_READINGS, st.floats(0.1, 600), st.floats(0.9995, 1.0005))
def test_a_clock_that_is_adjusted_slowly_has_not_stepped(
    drawn: tuple[ClockReading, float], elapsed: float, rate: float
) -> None:
    last, way = drawn
    assert find_step(last, _read_later(last, last.sent + way, elapsed, rate, 0.0)) is None


def _sum_found_steps(first: ClockReading, advances: list[tuple[float, float, float]]) -> float:
    """Return the sum of the steps found by a worker, while the clock advances by seconds at a rate, and steps."""
    last = anchor = first
    taken, database, shifted = (first.sent + first.received) / 2, first.database, first.shifted
    for elapsed, rate, step in advances:
        taken, database = taken + elapsed, database + elapsed * rate + step
        now = ClockReading(taken - 0.01, taken + 0.01, database, shifted)
        if found := find_step(last, now) or find_step(anchor, now):
            shifted += found.seconds
            last = anchor = replace(now, shifted=shifted)
        else:
            anchor, last = move_anchor(anchor, last, now), now
    return shifted - first.shifted


_ELAPSED = st.floats(0.05, 60)
_FIRST = ClockReading(1e5 - 0.01, 1e5 + 0.01, 1.8e9, 0.0)


@given(st.lists(st.tuples(_ELAPSED, st.floats(0.9995, 1.0005), st.just(0.0))), st.integers(1, 100))
def test_slow_corrections_never_add_up_to_a_step(advances: list[tuple[float, float, float]], times: int) -> None:
    assert _sum_found_steps(_FIRST, advances * times) == 0


@given(st.lists(st.tuples(_ELAPSED, st.just(1.0), st.floats(-4.5, 4.5)), min_size=1, max_size=100))
def test_small_steps_add_up(advances: list[tuple[float, float, float]]) -> None:
    found = _sum_found_steps(_FIRST, advances)
    explained = sum(0.001 * (elapsed + 0.02) for elapsed, _, _ in advances)
    uncertainty = 0.05 * len(advances)
    assert abs(sum(step for _, _, step in advances) - found) <= TOLERANCE_SECONDS + explained + uncertainty


@given(_READINGS, st.floats(0.1, 600), _STEPS)
def test_a_step_is_measured_so_that_nothing_runs_early(
    drawn: tuple[ClockReading, float], elapsed: float, step: float
) -> None:
    last, way = drawn
    now = _read_later(last, last.sent + way, elapsed, 1.0, step)
    found = find_step(last, now)
    uncertainty = last.received - last.sent + 0.03
    if found is None:
        assert abs(step) <= TOLERANCE_SECONDS + uncertainty
        return
    assert abs(step) > TOLERANCE_SECONDS - 0.01
    assert step - 0.01 <= found.seconds <= step + uncertainty
    handled = replace(now, shifted=now.shifted + found.seconds)
    assert find_step(last, handled) is None, "another worker that sees the shift agrees"
    assert find_step(handled, _read_later(handled, now.sent + 0.01, 5.0, 1.0, 0.0)) is None


@given(_READINGS, st.floats(0.1, 60), st.floats(-1e6, -100))
def test_times_given_by_the_new_clock_after_a_step_back_are_kept(
    drawn: tuple[ClockReading, float], elapsed: float, step: float
) -> None:
    last, way = drawn
    found = find_step(last, _read_later(last, last.sent + way, elapsed, 1.0, step))
    assert found
    assert found.since <= last.database + step + 0.01, "the earliest time that the new clock can have given"


def test_the_first_reading_finds_only_times_in_the_future() -> None:
    now = ClockReading(1.0, 1.0, 1000.0, 0.0)
    assert find_step_before(None, now) is None
    assert find_step_before(1004.0, now) is None
    assert find_step_before(4600.0, now) == ClockStep(4600.0, -3600.0, float("-inf"))


def test_a_host_whose_own_clock_stood_still_shifts_nothing(pipeline: Pipeline, conn: Connection) -> None:
    stopped, other = (register_worker_committed(pipeline.db) for _ in range(2))
    watch = _follow_after_standstill(pipeline.db, stopped, noted_by=other)
    assert conn.execute("SELECT FROM clock_steps").fetchall() == []
    assert watch.follow(pipeline.db, stopped), "the next reading agrees"


def test_without_a_witness_times_are_shifted_forward_and_never_into_the_future(
    pipeline: Pipeline, conn: Connection
) -> None:
    stopped = register_worker_committed(pipeline.db)
    conn.execute("UPDATE pools SET refilled_at = clock_timestamp() - interval '10 s'")
    _follow_after_standstill(pipeline.db, stopped)
    assert len(conn.execute("SELECT FROM clock_steps").fetchall()) == 1
    assert count_seconds_ahead(conn, "SELECT refilled_at FROM pools") == pytest.approx([-10], abs=5)
    assert count_seconds_ahead(conn, "SELECT started_at FROM workers WHERE id = %s", stopped)[0] <= 0


def _follow_after_standstill(database: Database, worker: UUID, noted_by: UUID | None = None) -> ClockWatch:
    """Let a worker follow the clock after its own clock stood still for a minute."""
    watch = ClockWatch()
    assert watch.follow(database, worker)
    assert watch._last
    watch._last = replace(watch._last, database=watch._last.database - 60)
    with database.transaction() as conn:
        conn.execute("UPDATE workers SET started_at = clock_timestamp() - interval '2 min'")
        if noted_by:
            control.note_reading(conn, noted_by, control.read_clock(conn))
    assert not watch.follow(database, worker)
    return watch


def test_old_steps_are_deleted_except_the_latest(conn: Connection) -> None:
    conn.execute(
        "INSERT INTO clock_steps (noticed_at, seconds, total, worker_id)"
        " SELECT clock_timestamp() - interval '1 year', 10, n * 10, gen_random_uuid() FROM generate_series(1, 3) n"
    )
    control.prune_steps(conn)
    assert conn.execute("SELECT total FROM clock_steps").fetchall() == [{"total": 30}]
    assert control.read_clock(conn).shifted == 30
