"""Tests of enqueueing: deduplication, notifications and validation."""

from __future__ import annotations

import sys
from collections.abc import Callable
from uuid import UUID, uuid4

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import BadInput
from docyard.model.jobs import Completion, JobFailure, NewJob, Snooze
from tests.queue.queue_workers import (
    POOL,
    claim_committed,
    claim_one,
    enqueue_committed,
    make_job,
    register_worker_committed,
)


def test_ids_are_time_ordered_uuids_in_the_order_of_the_batch(database: Database, workspace: UUID) -> None:
    ids = [one for _ in range(3) for one in enqueue_committed(database, make_job(workspace), make_job(workspace))]
    assert {(one.version, one.variant) for one in ids} == {(7, "specified in RFC 4122")}
    assert len(set(ids)) == 6
    assert [one.int >> 80 for one in ids] == sorted(one.int >> 80 for one in ids)


def test_an_empty_batch_enqueues_nothing(database: Database) -> None:
    assert enqueue_committed(database) == []


def test_enqueueing_is_part_of_the_callers_transaction(database: Database, conn: Connection, workspace: UUID) -> None:
    conn.execute("BEGIN")
    assert len(queue.enqueue(conn, [make_job(workspace)])) == 1
    conn.execute("ROLLBACK")
    assert conn.execute("SELECT FROM jobs").fetchall() == []


@pytest.mark.parametrize("state", ["pending", "scheduled", "running"])
def test_a_live_dedupe_key_is_not_enqueued_again(database: Database, workspace: UUID, state: str) -> None:
    delay = 60.0 if state == "scheduled" else 0.0
    (one,) = enqueue_committed(database, make_job(workspace, dedupe_key="k", delay_seconds=delay))
    if state == "running":
        claim_one(database, register_worker_committed(database))
    assert enqueue_committed(database, make_job(workspace, dedupe_key="k"), make_job(workspace, dedupe_key="k")) == []
    with database.transaction() as conn:
        assert queue.find_by_dedupe_key(conn, workspace, "k") == one


@pytest.mark.parametrize("ending", ["done", "dead", "cancelled"])
def test_a_dedupe_key_is_free_after_the_job_has_ended(database: Database, workspace: UUID, ending: str) -> None:
    enqueue_committed(database, make_job(workspace, dedupe_key="k"))
    lease = claim_one(database, register_worker_committed(database))
    with database.transaction() as conn:
        if ending == "dead":
            queue.settle(conn, [JobFailure(lease, "corrupt", "x", final=True)])
        else:
            queue.settle(conn, [Completion(lease, "cancelled" if ending == "cancelled" else "done")])
        assert queue.find_by_dedupe_key(conn, workspace, "k") is None
    assert len(enqueue_committed(database, make_job(workspace, dedupe_key="k"))) == 1


def test_dedupe_keys_are_separate_per_workspace(database: Database, workspace: UUID, other_workspace: UUID) -> None:
    assert (
        len(enqueue_committed(database, make_job(workspace, dedupe_key="k"), make_job(other_workspace, dedupe_key="k")))
        == 2
    )


def test_concurrent_enqueues_with_one_key_create_one_job(database: Database, conn: Connection, workspace: UUID) -> None:
    with database.transaction() as first, database.transaction() as second:
        assert len(queue.enqueue(first, [make_job(workspace, dedupe_key="k")])) == 1
        # The second transaction must wait until the first ends; the lock timeout shows that it does.
        second.execute("SET LOCAL lock_timeout = '50ms'")
        with pytest.raises(Exception, match="lock timeout"), second.transaction():
            queue.enqueue(second, [make_job(workspace, dedupe_key="k")])
    assert enqueue_committed(database, make_job(workspace, dedupe_key="k")) == []
    assert len(conn.execute("SELECT FROM jobs").fetchall()) == 1


def test_a_scheduled_job_is_not_claimed_before_its_time(database: Database, conn: Connection, workspace: UUID) -> None:
    worker = register_worker_committed(database)
    enqueue_committed(database, make_job(workspace, delay_seconds=3600))
    promoted, next_in = queue.promote_due(conn)
    assert promoted == 0
    assert next_in is not None
    assert 0 < next_in <= 3600
    assert claim_committed(database, worker) == []
    conn.execute("UPDATE jobs SET run_at = clock_timestamp()")
    assert queue.promote_due(conn) == (1, None)
    assert len(claim_committed(database, worker)) == 1


def collect_notifications(database: Database, act: Callable[[Connection], object]) -> list[str]:
    """Run a transaction and return the notifications that it sent."""
    received: list[str] = []
    sys.modules["docyard.queue.jobs.insertion"]._last_notified.clear()  # disables the rate limit for one call
    with database.connect() as listening:
        listening.add_notify_handler(lambda notice: received.append(notice.payload))
        listening.execute("LISTEN docyard_jobs")
        with database.transaction() as conn:
            act(conn)
        # A last notification marks the end of those that the transaction sent.
        listening.execute("NOTIFY docyard_jobs, 'that was all'")
        while "that was all" not in received:
            listening.execute("SELECT")
    return received[:-1]


def test_listeners_are_notified_once_per_pool(database: Database, workspace: UUID) -> None:
    new = [make_job(workspace), make_job(workspace), NewJob(workspace, "chunk", "test")]
    assert sorted(collect_notifications(database, lambda conn: queue.enqueue(conn, new))) == ["chunk", POOL]


def test_scheduled_and_duplicate_jobs_send_no_notification(database: Database, workspace: UUID) -> None:
    new = [make_job(workspace, delay_seconds=60, dedupe_key="k"), make_job(workspace, dedupe_key="k")]
    assert collect_notifications(database, lambda conn: queue.enqueue(conn, new)) == []


def test_jobs_that_become_pending_again_send_a_notification(database: Database, workspace: UUID) -> None:
    worker = register_worker_committed(database)
    enqueue_committed(database, *(make_job(workspace) for _ in range(3)))
    retried, dead, _ = claim_committed(database, worker, 3)
    assert collect_notifications(database, lambda c: queue.settle(c, [Snooze(retried, 0, "c", "m")])) == [POOL]
    assert collect_notifications(database, lambda c: queue.release_leases(c, worker)) == [POOL]
    (lease, *_) = claim_committed(database, worker, 3)
    assert collect_notifications(database, lambda c: queue.settle(c, [JobFailure(lease, "c", "m", final=True)])) == []
    assert collect_notifications(database, lambda c: queue.replay(c, [lease.job_id])) == [POOL]
    enqueue_committed(database, make_job(workspace, delay_seconds=60))

    def promote(conn: Connection) -> None:
        conn.execute("UPDATE jobs SET run_at = now() WHERE state = 'scheduled'")
        queue.promote_due(conn)

    assert collect_notifications(database, promote) == [POOL]
    assert dead.job_id != retried.job_id


DEEP: list[object] = []
for _ in range(200_000):
    DEEP = [DEEP]


def build_job(workspace: UUID, **more: object) -> NewJob:
    return NewJob(**{"workspace_id": workspace, "pool": POOL, "type": "test", **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"pool": "no such pool"}, "There is no such pool"),
        ({"tier": 9}, "There is no such tier"),
        ({"tier": 40_000}, "cannot be accepted .*out of range"),
        ({"workspace_id": uuid4()}, "There is no such workspace"),
        ({"document_id": uuid4()}, "There is no such document"),
        ({"payload": {"text": "x" * 70_000}}, "a JSON object of at most 64 KiB"),
        ({"payload": [1, 2]}, "a JSON object of at most 64 KiB"),
        ({"payload": "text"}, "a JSON object of at most 64 KiB"),
        ({"payload": {"text": "a\x00b"}}, "cannot be accepted .*[Uu]nicode"),
        ({"payload": {"number": float("nan")}}, "cannot be accepted .*json"),
        ({"type": "é" * 51}, "must not be longer than 100 bytes"),
        ({"max_attempts": 0}, "between 1 and 100 attempts"),
        ({"max_attempts": 101}, "between 1 and 100 attempts"),
        ({"priority": 40_000}, "cannot be accepted .*jobs_priority_sane"),
        ({"type": "document"}, "cannot be accepted .*jobs_document_whole"),
        ({"type": "a\x00b"}, "cannot be accepted .*NUL"),
        ({"delay_seconds": float("inf")}, "cannot be accepted .*interval"),
        ({"delay_seconds": float("nan")}, "cannot be accepted .*interval"),
        ({"delay_seconds": -1.0}, "must not be negative"),
        ({"payload": {"deep": DEEP}}, "payload cannot be written as JSON"),
        ({"payload": {"thing": object()}}, "payload cannot be written as JSON"),
        ({"payload": {"half": "\ud83d"}}, "cannot be accepted .*json"),
        ({"priority": 2**40}, "cannot be accepted .*out of range"),
        ({"max_attempts": 2**40}, "cannot be accepted .*out of range"),
        ({"dedupe_key": "a\x00b"}, "cannot be accepted .*NUL"),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, str) else next(iter(value)),
)
def test_invalid_jobs_are_rejected_with_a_message(
    database: Database, workspace: UUID, more: dict[str, object], words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        enqueue_committed(database, build_job(workspace, **more))
    with database.transaction() as conn:
        assert conn.execute("SELECT FROM jobs").fetchall() == []


@pytest.mark.parametrize("text", ["'); DROP TABLE jobs; --", "%s %(id)s {0}", "\\", '"', "日本語", "$$", "\n"])
def test_special_characters_are_stored_unchanged(database: Database, workspace: UUID, text: str) -> None:
    texts = {"dedupe_key": text, "entity_type": text, "entity_id": text, "stage": text}
    enqueue_committed(database, build_job(workspace, type=text, payload={text: text}, **texts))
    lease = claim_one(database, register_worker_committed(database))
    assert (lease.type, lease.stage, lease.payload) == (text, text, {text: text})
    with database.transaction() as conn:
        assert queue.find_by_dedupe_key(conn, workspace, text) == lease.job_id
        assert queue.settle(conn, [JobFailure(lease, text, text, final=True)]) == {lease.job_id}
        (letter,) = queue.find_dead_letters(conn, category=text)
    assert (letter.message, letter.failure_history[-1]["message"]) == (text, text)
