"""Tests of dead letters: causes, lists, replay and deletion."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Completion, DeadLetter, JobFailure, NewJob
from tests.pipeline.stage_runs import arrive
from tests.queue.queue_workers import claim_one, enqueue_committed, get_state, make_job, register_worker_committed


def kill(database: Database, new: NewJob, message: str, category: str = "corrupt") -> DeadLetter:
    """Add a job, let it fail permanently, and return its dead letter."""
    (one,) = enqueue_committed(database, new)
    lease = claim_one(database, register_worker_committed(database))
    with database.transaction() as conn:
        assert queue.settle(conn, [JobFailure(lease, category, message, final=True)]) == {one}
        return next(letter for letter in queue.find_dead_letters(conn) if letter.id == one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Page 3 of 17 is damaged.", "Page 12 of 90210 is damaged."),
        (
            "Worker 6f1d3c9e-0b5a-4e5f-9c3e-2f6a7b8c9d0e is gone.",
            "Worker 0A5B7C9D-1111-2222-3333-444455556666 is gone.",
        ),
        ("Bad xref at 0xdeadbeef", "bad XREF at 0xCAFEBABE"),
    ],
)
def test_dead_letters_of_the_same_cause_share_a_fingerprint(
    database: Database, workspace: UUID, one: str, other: str
) -> None:
    assert (
        kill(database, make_job(workspace), one).fingerprint == kill(database, make_job(workspace), other).fingerprint
    )


def test_message_category_and_stage_change_the_fingerprint(database: Database, workspace: UUID) -> None:
    letters = [
        kill(database, make_job(workspace), "The header is damaged."),
        kill(database, make_job(workspace), "The trailer is damaged."),
        kill(database, make_job(workspace), "The header is damaged.", "encrypted"),
        kill(database, make_job(workspace, stage="ocr"), "The header is damaged."),
    ]
    assert len({letter.fingerprint for letter in letters}) == 4


def test_dead_letters_are_listed_newest_first_and_by_category(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    first = kill(database, make_job(workspace), "x", "corrupt")
    second = kill(database, make_job(workspace), "x", "empty")
    assert [letter.id for letter in queue.find_dead_letters(conn)] == [second.id, first.id]
    assert [letter.id for letter in queue.find_dead_letters(conn, category="corrupt")] == [first.id]
    assert [letter.id for letter in queue.find_dead_letters(conn, limit=1)] == [second.id]


def test_superseded_letters_are_discarded_unless_they_are_locked(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    """A replay holds the lock, and waits for the transaction of the later job."""
    document = arrive(database, workspace)
    conn.execute("DELETE FROM jobs")
    job = make_job(workspace, document_id=document)
    letters = [kill(database, replace(job, type=kind), "x") for kind in ("test", "other")]
    superseded, kept = (letter.id for letter in letters)
    with database.transaction() as replaying:
        replaying.execute("SELECT FROM dead_letters WHERE id = %s FOR UPDATE", (superseded,))
        queue.discard_superseded(conn, [document], "test")
        assert len(queue.find_dead_letters(conn)) == 2
    queue.discard_superseded(conn, [document], "test")
    assert [letter.id for letter in queue.find_dead_letters(conn)] == [kept]
    assert conn.execute("SELECT id, outcome FROM job_history").fetchall() == [
        {"id": superseded, "outcome": "discarded"}
    ]


def test_a_replayed_letter_has_all_attempts_and_keeps_its_history(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    letter = kill(database, make_job(workspace, max_attempts=2, payload={"a": 1}), "x")
    assert queue.replay(conn, [letter.id]) == [(letter.id, None)]
    assert queue.find_dead_letters(conn) == []
    lease = claim_one(database, register_worker_committed(database))
    assert (lease.job_id, lease.attempts, lease.max_attempts, lease.payload) == (letter.id, 1, 2, {"a": 1})
    assert lease.fence > 1
    queue.settle(conn, [JobFailure(lease, "corrupt", "again", final=True)])
    (again,) = queue.find_dead_letters(conn)
    assert [failure["message"] for failure in again.failure_history] == ["x", "again"]
    assert conn.execute("SELECT replays FROM dead_letters").fetchone() == {"replays": 1}


def test_a_letter_with_a_live_dedupe_key_is_not_replayed(database: Database, conn: Connection, workspace: UUID) -> None:
    letter = kill(database, make_job(workspace, dedupe_key="k"), "x")
    (live,) = enqueue_committed(database, make_job(workspace, dedupe_key="k"))
    assert queue.replay(conn, [letter.id]) == []
    assert [one.id for one in queue.find_dead_letters(conn)] == [letter.id]
    assert queue.find_by_dedupe_key(conn, workspace, "k") == live
    queue.settle(conn, [Completion(claim_one(database, register_worker_committed(database)))])
    assert queue.replay(conn, [letter.id]) == [(letter.id, None)]


def test_only_one_of_two_letters_with_the_same_key_is_replayed(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    letters = {kill(database, make_job(workspace, dedupe_key="k"), "x").id for _ in range(2)}
    ((revived, _),) = queue.replay(conn, list(letters))
    assert {letter.id for letter in queue.find_dead_letters(conn)} == letters - {revived}


def test_replaying_an_unknown_letter_does_nothing(database: Database, conn: Connection, workspace: UUID) -> None:
    letter = kill(database, make_job(workspace), "x")
    assert len(queue.replay(conn, [letter.id, letter.id])) == 1
    assert queue.replay(conn, [letter.id, workspace]) == []
    assert queue.replay(conn, []) == []
    assert get_state(conn, letter.id) == "pending"


def test_cancelling_a_document_cancels_its_jobs_and_deletes_its_letters(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    documents = [
        row["id"]
        for row in conn.execute(
            "INSERT INTO documents (workspace_id, name) VALUES (%(w)s, 'a'), (%(w)s, 'b') RETURNING id",
            {"w": workspace},
        )
    ]
    conn.execute("DELETE FROM jobs")
    kill(database, make_job(workspace, document_id=documents[0]), "x")
    enqueue_committed(
        database, *(make_job(workspace, document_id=documents[0], delay_seconds=delay) for delay in (0, 0, 9))
    )
    (kept,) = enqueue_committed(database, make_job(workspace, document_id=documents[1]))
    lease = claim_one(database, register_worker_committed(database))
    queue.cancel_document(conn, documents[0])
    assert queue.settle(conn, [Completion(lease)]) == set()
    assert conn.execute("SELECT id FROM jobs").fetchall() == [{"id": kept}]
    assert queue.find_dead_letters(conn) == []
    history = conn.execute("SELECT outcome, count(*) AS jobs FROM job_history GROUP BY outcome").fetchall()
    assert history == [{"outcome": "cancelled", "jobs": 3}]
