"""A stateful test that compares the queue with a model after any sequence of operations."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import chain, count
from typing import Any, ClassVar
from uuid import UUID

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.errors import FlakyStrategyDefinition
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from docyard import queue
from docyard.db import Connection
from docyard.model.jobs import Completion, JobFailure, Lease, Outcome, Snooze
from docyard.model.tiers import Tier
from docyard.queue import control
from tests.queue.jobs.queue_model import LIVE, ModelJob, ModelQueue
from tests.queue.jobs.transition_recorder import install_recorder, list_job_transitions, read_legal_transitions
from tests.queue.queue_workers import POOL, make_job, register_worker

WORDS = ("category", "message")
BUDGET = 4
WAYS = ("done", "retry", "retry", "dead", "snoozed", "snoozed")
KEYS = st.sampled_from([None, None, "a", "b", "c"])


class QueueMachine(RuleBasedStateMachine):
    """Operations with two workers, two documents and three dedupe keys; lost leases are used too."""

    conn: ClassVar[Connection]
    workspace: ClassVar[UUID]
    documents: ClassVar[list[UUID]]

    def __init__(self) -> None:
        super().__init__()
        self.conn.execute("TRUNCATE jobs, dead_letters, job_history, lanes, pool_tiers, workers")
        control.limit_retries(self.conn, "Main", retries=BUDGET)
        self.model = ModelQueue(BUDGET)
        self.leases: list[Lease] = []
        self.workers = [register_worker(self.conn), register_worker(self.conn)]
        # Explicit arrival times make the order repeatable; ids are random.
        self.arrivals = (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=n) for n in count())

    def lease(self, data: st.DataObject) -> Lease:
        """Draw a lease, current or lost, with a preference for current ones."""
        held = [lease for lease in self.leases if self.model.holds(lease)]
        return data.draw(st.sampled_from(held + held + self.leases))

    @initialize()
    def begin(self) -> None:
        for number in range(1, 7):
            self.enqueue(None, 0.0, 1 + number % 3, None, Tier(number % 3))

    @rule(
        key=KEYS,
        delay=st.sampled_from([0.0, 0.0, 60.0]),
        max_attempts=st.integers(1, 3),
        document=st.sampled_from([None, None, 0, 1]),
        tier=st.sampled_from(Tier),
    )
    def enqueue(self, key: str | None, delay: float, max_attempts: int, document: int | None, tier: Tier) -> None:
        new = make_job(
            self.workspace,
            dedupe_key=key,
            delay_seconds=delay,
            max_attempts=max_attempts,
            document_id=None if document is None else self.documents[document],
            tier=tier,
            arrived_at=next(self.arrivals),
        )
        ids = queue.enqueue(self.conn, [new, new] if key else [new])
        assert len(ids) == (0 if self.model.live_with_key(key) else 1)
        self.model.jobs.update({one: ModelJob(new, "scheduled" if delay else "pending") for one in ids})

    @precondition(lambda self: self.model.ids("pending"))
    @rule(limit=st.integers(1, 4), who=st.integers(0, 1))
    def claim(self, limit: int, who: int) -> None:
        leases = queue.claim(self.conn, POOL, self.workers[who], limit)
        assert len(leases) <= limit
        assert leases or not self.model.ids("pending"), "nothing was claimed although jobs are pending"
        for lease in leases:
            self.model.claim(lease)
        self.leases += leases

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def settle(self, data: st.DataObject) -> None:
        drawn = [
            (self.lease(data), data.draw(st.sampled_from(WAYS)), data.draw(st.sampled_from([0.0, 60.0])))
            for _ in range(3)
        ]
        chosen = list({each[0].job_id: each for each in drawn}.values())
        # The earliest jobs get the remaining retries of this period.
        in_arrival_order = sorted(chosen, key=lambda each: (each[0].priority, each[0].arrived_at, each[0].job_id))
        expected = {lease.job_id for lease, how, delay in in_arrival_order if self.model.settle(lease, how, delay)}
        assert queue.settle(self.conn, [outcome(*each) for each in chosen]) == expected

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def settle_more(self, data: st.DataObject) -> None:
        self.settle(data)  # makes settlements more frequent

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def advance(self, data: st.DataObject) -> None:
        lease = self.lease(data)
        held = self.model.holds(lease)
        assert queue.advance(self.conn, lease, "next") is held
        if held:
            self.model.jobs[lease.job_id].attempts = 1

    @precondition(lambda self: self.model.granted > BUDGET)
    @rule()
    def pass_period(self) -> None:
        self.conn.execute("UPDATE retry_budgets SET period_began = '-infinity'")
        self.model.granted = 0

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), keys=st.lists(KEYS, max_size=3, unique_by=lambda key: key or object()))
    def wait_for_children(self, data: st.DataObject, keys: list[str | None]) -> None:
        lease = self.lease(data)
        wanted = [make_job(self.workspace, dedupe_key=key, arrived_at=next(self.arrivals)) for key in keys]
        held = self.model.holds(lease)
        self.conn.execute("BEGIN")
        assert queue.wait_for_children(self.conn, lease, wanted, seconds=60) is held
        self.conn.execute("COMMIT" if held else "ROLLBACK")
        if not held:
            return
        fresh = [new for new in wanted if not self.model.live_with_key(new.dedupe_key)]
        rows = self.rows("SELECT arrived_at, id FROM jobs WHERE NOT id = ANY (%s)", list(self.model.jobs))
        ids = dict(rows)
        assert set(ids) == {new.arrived_at for new in fresh}
        for new in fresh:
            self.model.jobs[ids[new.arrived_at]] = ModelJob(new, "pending", parent=lease.job_id)
        self.model.wait(lease, wanted)

    @precondition(lambda self: self.model.ids("running") and not self.model.ids("waiting"))
    @rule(data=st.data())
    def wait_for_new_children(self, data: st.DataObject) -> None:
        self.wait_for_children(data, [None, None])  # makes waiting parents more frequent

    @precondition(lambda self: self.model.ids("waiting"))
    @rule()
    def wait_too_long(self) -> None:
        self.conn.execute("UPDATE jobs SET run_at = arrived_at - interval '9 years' WHERE state = 'waiting'")
        reaper = self.workers[0]
        with self.conn.transaction():
            late = queue.take_over_overdue_parents(self.conn, reaper)
            assert {one.lease.job_id for one in late} <= self.model.ids("waiting")
            assert late
            for one in in_arrival_order(late):
                self.model.take_over(one.lease.job_id, reaper, waited=True)
                self.settle_reaped(one)
        self.conn.execute("UPDATE jobs SET run_at = now() + interval '1 hour' WHERE state = 'waiting'")

    @precondition(lambda self: self.model.ids(*LIVE))
    @rule(data=st.data())
    def cancel_job(self, data: st.DataObject) -> None:
        one = data.draw(st.sampled_from(self.model.oldest(*LIVE)))
        assert {ended for ended, _ in queue.cancel_jobs(self.conn, [one])} == self.model.cancel([one])

    @precondition(lambda self: self.model.ids("waiting"))
    @rule()
    def wake_orphans(self) -> None:
        assert queue.wake_orphans(self.conn) == 0

    @precondition(lambda self: self.model.ids("running"))
    @rule(who=st.integers(0, 1))
    def lose_worker(self, who: int) -> None:
        lost = self.workers[who]
        self.conn.execute("UPDATE workers SET heartbeat_at = '-infinity' WHERE id = %s", (lost,))
        assert queue.claim(self.conn, POOL, lost, 5) == []
        self.reap(self.workers[1 - who], self.model.held_by(lost))
        assert not queue.heartbeat(self.conn, lost)
        self.workers[who] = register_worker(self.conn)

    @precondition(lambda self: self.model.ids("running"))
    @rule(data=st.data())
    def pass_deadline(self, data: st.DataObject) -> None:
        late = data.draw(st.sampled_from(self.model.oldest("running")))
        self.conn.execute("UPDATE jobs SET deadline_at = '-infinity' WHERE id = %s", (late,))
        self.reap(self.workers[0], {late})

    def reap(self, reaper: UUID, expected: set[UUID]) -> None:
        with self.conn.transaction():
            reaped = list(chain.from_iterable(iter(lambda: queue.reap(self.conn, reaper), [])))
            assert {one.lease.job_id for one in reaped} == expected
            for one in in_arrival_order(reaped):
                self.model.take_over(one.lease.job_id, reaper)
                self.settle_reaped(one)

    def settle_reaped(self, one: queue.ReapedJob) -> None:
        how = "dead" if one.lease.last_attempt else "retry"
        assert self.model.settle(one.lease, how, 0)
        assert queue.settle(self.conn, [outcome(one.lease, how, 0)]) == {one.lease.job_id}

    @precondition(lambda self: self.model.ids("running"))
    @rule(who=st.integers(0, 1))
    def give_back(self, who: int) -> None:
        queue.release_leases(self.conn, self.workers[who])
        self.model.give_back(self.workers[who])

    @precondition(lambda self: self.model.ids("running"))
    @rule(data=st.data())
    def take_from_holder(self, data: st.DataObject) -> None:
        one = data.draw(st.sampled_from(self.model.oldest(*LIVE)))
        running = one in self.model.ids("running")
        assert queue.take_from_holder(self.conn, one, "It takes too long.") is running
        if running:
            self.model.take_from_holder(one)

    @precondition(lambda self: self.model.ids("scheduled"))
    @rule()
    def promote(self) -> None:
        self.conn.execute("UPDATE jobs SET run_at = now() WHERE state = 'scheduled'")
        due = self.model.ids("scheduled")
        assert queue.promote_due(self.conn) == (len(due), None)
        for one in due:
            self.model.jobs[one].leave("pending")

    @precondition(lambda self: self.model.ids("dead"))
    @rule(data=st.data())
    def replay(self, data: st.DataObject) -> None:
        ids = [data.draw(st.sampled_from(self.model.oldest("dead", "done")))]
        assert {one for one, _ in queue.replay(self.conn, ids)} == self.model.replay(ids)

    @precondition(lambda self: self.model.of_documents())
    @rule(document=st.integers(0, 1))
    def cancel_document(self, document: int) -> None:
        queue.cancel_document(self.conn, self.documents[document])
        self.model.cancel_document(self.documents[document])

    @invariant()
    def live_jobs_are_as_modelled(self) -> None:
        rows = self.conn.execute(
            "SELECT id, state, attempts, fence, worker_id, jsonb_array_length(failure_history) AS failures,"
            " parent_id, children, children_left, children_failed FROM jobs"
        )
        assert {row.pop("id"): tuple(row.values()) for row in rows} == {
            job_id: (
                *(one.state, one.attempts, one.fence, one.holder, one.failures),
                *(one.parent, one.children, one.left, one.children_failed),
            )
            for job_id, one in self.model.jobs.items()
            if one.state in LIVE
        }

    @invariant()
    def each_job_ends_once(self) -> None:
        ended = self.rows("SELECT id, outcome FROM job_history")
        assert sorted(ended) == sorted((one, self.model.jobs[one].state) for one in self.model.ids("done", "cancelled"))
        letters = self.rows("SELECT id, attempts, jsonb_array_length(failure_history) FROM dead_letters")
        assert sorted(letters) == sorted(
            (one, self.model.jobs[one].attempts, self.model.jobs[one].failures) for one in self.model.ids("dead")
        )

    def rows(self, query: str, *params: object) -> list[tuple[Any, ...]]:
        return [tuple(row.values()) for row in self.conn.execute(query.encode(), params or None)]


def in_arrival_order(reaped: Iterable[queue.ReapedJob]) -> list[queue.ReapedJob]:
    """Sort by arrival, the order in which retries are granted; the order of ids is random."""
    return sorted(reaped, key=lambda one: one.lease.arrived_at)


def outcome(lease: Lease, how: str, delay: float) -> Outcome:
    if how == "done":
        return Completion(lease)
    if how == "snoozed":
        return Snooze(lease, delay, *WORDS)
    return JobFailure(lease, *WORDS, final=how == "dead", delay=delay)


def test_the_queue_behaves_like_its_model(conn: Connection, workspace: UUID) -> None:
    install_recorder(conn)
    QueueMachine.conn = conn
    QueueMachine.workspace = workspace
    QueueMachine.documents = [
        row["id"]
        for row in conn.execute(
            "INSERT INTO documents (workspace_id, name, blob_key)"
            " SELECT %(w)s, name, %(w)s || '/' || repeat(name, 64) FROM unnest(ARRAY['a', 'b']) AS name RETURNING id",
            {"w": workspace},
        )
    ]
    run_machine(tries=5)
    assert list_job_transitions(conn) <= read_legal_transitions("job")


def run_machine(tries: int) -> None:
    """Run the machine; repeat the run if hypothesis reports that the same steps had different results.

    The time of sweeps depends on the clock, and so does the order in which lanes are served.
    """
    few = settings(max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck))
    try:
        run_state_machine_as_test(QueueMachine, settings=few)
    except FlakyStrategyDefinition:
        if tries == 1:
            raise
        run_machine(tries - 1)
