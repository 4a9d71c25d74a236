"""Tests that the recorder stores committed transitions and the snapshot of each claim."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from uuid import UUID

import psycopg
import pytest

from docyard import queue
from docyard.db import Database
from docyard.model.jobs import Completion, JobFailure
from tests.chaos.installation import wait_for
from tests.chaos.instruments.checker import check
from tests.chaos.instruments.events import Event, install_recorder, read_events, read_locked
from tests.queue.queue_workers import claim_committed, claim_one, enqueue_committed, make_job, register_worker_committed

LONG_AGO = datetime(2026, 1, 1, 12, tzinfo=UTC)
# While the test holds this lock, every claim pauses at the trigger.
PAUSE = """
CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RETURN NULL; END $$;
CREATE TRIGGER aaa_first AFTER {} EXECUTE FUNCTION pause();
"""
PAUSES = {
    "before it chooses jobs": "DELETE ON arrivals FOR EACH STATEMENT",
    "before its jobs are recorded": "UPDATE ON jobs FOR EACH ROW",
}


@pytest.fixture(autouse=True)
def _record(database: Database) -> None:
    with database.transaction() as conn:
        install_recorder(conn)


def _list_transitions(events: list[Event]) -> list[tuple[str, str | None, str | None]]:
    return [
        (event.source, event.before.state if event.before else None, event.after.state if event.after else None)
        for event in events
    ]


def test_every_transition_is_recorded(database: Database, workspace: UUID) -> None:
    worker = register_worker_committed(database)
    (number,) = enqueue_committed(database, make_job(workspace, max_attempts=2))
    for final in (False, True):
        lease = claim_one(database, worker)
        with database.transaction() as conn:
            queue.settle(conn, [JobFailure(lease, "network", "down", final=final)])
    with database.transaction() as conn:
        queue.replay(conn, [number])
    lease = claim_one(database, worker)
    with database.transaction() as conn:
        queue.settle(conn, [Completion(lease)])
    events = list(read_events(database))
    assert _list_transitions(events) == [
        ("jobs", None, "pending"),
        ("jobs", "pending", "running"),
        ("jobs", "running", "pending"),
        ("jobs", "pending", "running"),
        ("jobs", "running", None),
        ("dead_letters", None, "dead"),
        ("jobs", None, "pending"),
        ("dead_letters", "dead", None),
        ("jobs", "pending", "running"),
        ("jobs", "running", None),
        ("job_history", None, "done"),
    ]
    assert {event.job for event in events} == {number}
    assert check(events).violations == []


def test_rolled_back_transitions_are_not_recorded(database: Database, workspace: UUID) -> None:
    with database.connect() as conn, conn.transaction(force_rollback=True):
        queue.enqueue(conn, [make_job(workspace)])
    assert list(read_events(database)) == []


def test_recorded_events_cannot_be_changed(database: Database, workspace: UUID) -> None:
    enqueue_committed(database, make_job(workspace))
    with pytest.raises(psycopg.errors.RaiseException), database.transaction() as conn:
        conn.execute("DELETE FROM chaos_events")


@pytest.mark.parametrize("place", PAUSES.values(), ids=list(PAUSES))
def test_jobs_that_arrive_during_a_claim_are_not_violations(database: Database, workspace: UUID, place: str) -> None:
    worker = register_worker_committed(database)
    enqueue_committed(database, make_job(workspace), make_job(workspace))
    claim_one(database, worker)  # the first claim of a pool sweeps its lanes, later ones do not
    with database.transaction() as conn:
        conn.execute(PAUSE.format(place).encode())
    with ThreadPoolExecutor(1) as other, database.connect() as holder:
        holder.execute("SELECT pg_advisory_lock(4711)")
        claiming = other.submit(claim_committed, database, worker)
        wait_for(lambda: _is_waiting_for_lock(database), "the claim to pause")
        (urgent,) = enqueue_committed(database, make_job(workspace, arrived_at=LONG_AGO))
        holder.execute("SELECT pg_advisory_unlock(4711)")
        assert claiming.result(30)[0].job_id != urgent
    events = list(read_events(database))
    claim = [event for event in events if event.is_claim][-1]
    arrival = next(event for event in events if event.job == urgent)
    assert arrival.id < claim.id
    assert claim.seen is not None
    assert not claim.seen.sees(arrival.xact)
    assert check(events).rules() == {"still live at the end"}


def test_locked_jobs_that_a_claim_skips_are_not_violations(database: Database, workspace: UUID) -> None:
    worker = register_worker_committed(database)
    first, second, _ = enqueue_committed(database, *[make_job(workspace, priority=number) for number in (1, 2, 3)])
    with database.transaction() as holder:
        holder.execute("SELECT FROM jobs WHERE id = %s FOR UPDATE", (first,))
        assert claim_one(database, worker).job_id == second
    claim_committed(database, worker, 2)
    events = list(read_events(database))
    with database.transaction() as conn:
        locked = read_locked(conn)
    assert {number for _, number in locked} == {first}
    assert "out of order in a lane" in check(events).rules()
    assert "out of order in a lane" not in check(events, locked=locked).rules()


def _is_waiting_for_lock(database: Database) -> bool:
    with database.transaction() as conn:
        row = conn.execute(
            "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted"
        ).fetchone()
    return row is not None
