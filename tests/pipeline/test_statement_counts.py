"""Statement counts: operations on many documents send as many SQL statements as operations on a few."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Reject
from docyard.pipeline.cancellation import cancel_jobs
from docyard.pipeline.reruns import classify_again, replay_dead_letters
from docyard.pipeline.run import Pipeline
from docyard.worker import WorkerOptions
from docyard.worker.duties import DutyContext, embeddings
from tests.builders.statements import Statement, record_statements
from tests.pipeline.stage_runs import arrive, claim_document_job, fail, finish, run_until
from tests.queue.queue_workers import register_worker_committed

pytestmark = pytest.mark.usefixtures("quick_commits")
FEW, MANY = 2, 7
Act = Callable[[Connection, list[UUID]], object]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Statement]:
    """A list of every statement that is sent while the test runs."""
    return record_statements(monkeypatch)


def complete_documents(database: Database, workspace: UUID, count: int, name: str) -> list[UUID]:
    found = [arrive(database, workspace, f"{name} {number}.txt") for number in range(count)]
    worker = register_worker_committed(database)
    for _ in found:
        finish_next(database, worker)
    return found


def finish_next(database: Database, worker: UUID) -> None:
    with database.transaction() as conn:
        conn.execute("UPDATE jobs SET priority = 0 WHERE id = (SELECT min(id::text)::uuid FROM jobs)")
    finish(database, worker)


def count_statements(database: Database, sent: list[Statement], act: Act, ids: list[UUID]) -> int:
    with database.transaction() as conn:
        sent.clear()
        act(conn, ids)
        return sum(each.conn is conn for each in sent)


def test_classifying_again_sends_a_constant_number_of_statements(
    database: Database, workspace: UUID, sent: list[Statement]
) -> None:
    few, many = (complete_documents(database, workspace, count, str(count)) for count in (FEW, MANY))
    assert count_statements(database, sent, classify_again, few) == count_statements(
        database, sent, classify_again, many
    )
    with database.transaction() as conn:
        rows = conn.execute("SELECT stage, tier FROM jobs WHERE type = 'document'").fetchall()
    assert rows == [{"stage": "classify", "tier": 2}] * (FEW + MANY)


def test_cancelling_jobs_sends_a_constant_number_of_statements(
    database: Database, workspace: UUID, sent: list[Statement]
) -> None:
    def make_jobs(count: int) -> list[UUID]:
        for number in range(count):
            arrive(database, workspace, f"{count} {number}.txt")
        with database.transaction() as conn:
            return [row["id"] for row in conn.execute("SELECT id FROM jobs")]

    def cancel(conn: Connection, jobs: list[UUID]) -> None:
        assert sorted(cancel_jobs(conn, jobs, "ann")) == sorted(jobs)

    few = count_statements(database, sent, cancel, make_jobs(FEW))
    assert count_statements(database, sent, cancel, make_jobs(MANY)) == few
    with database.transaction() as conn:
        rows = conn.execute("SELECT status, reason FROM documents").fetchall()
    assert rows == [{"status": "cancelled", "reason": "Cancelled by ann."}] * (FEW + MANY)


def test_replaying_dead_letters_sends_a_constant_number_of_statements(
    database: Database, workspace: UUID, sent: list[Statement]
) -> None:
    worker = register_worker_committed(database)

    def make_dead_letters(count: int) -> list[UUID]:
        for number in range(count):
            arrive(database, workspace, f"{count} {number}.txt")
            lease = claim_document_job(database, worker)
            run_until(database, lease, "extract")
            assert fail(database, lease, Reject("corrupt", "Broken."))
        with database.transaction() as conn:
            return queue.find_dead_letter_ids(conn)

    def replay(conn: Connection, letters: list[UUID]) -> None:
        assert len(replay_dead_letters(conn, letters)) == len(letters)
        conn.execute("UPDATE jobs SET state = 'scheduled', run_at = 'infinity'")

    few = count_statements(database, sent, replay, make_dead_letters(FEW))
    with database.transaction() as conn:
        conn.execute("DELETE FROM jobs")
    assert count_statements(database, sent, replay, make_dead_letters(MANY)) == few


def test_queueing_unembedded_documents_sends_a_constant_number_of_statements(
    pipeline: Pipeline, database: Database, workspace: UUID, sent: list[Statement]
) -> None:
    def duty(conn: Connection, _: list[UUID]) -> None:
        message = embeddings.DUTY.run(DutyContext(conn, pipeline, register_worker_committed(database), WorkerOptions()))
        assert message is not None
        assert "queued for embedding" in message

    counts = []
    for count in (1, FEW, MANY):  # the first run creates the index of the model
        complete_documents(database, workspace, count, str(count))
        with database.transaction() as conn:
            conn.execute("DELETE FROM jobs")
        counts.append(count_statements(database, sent, duty, []))
        with database.transaction() as conn:
            queued = conn.execute("SELECT FROM jobs WHERE type = 'embed_document'").fetchall()
            assert len(queued) >= count
            conn.execute("DELETE FROM jobs")
            conn.execute("DELETE FROM documents")
    assert counts[1] == counts[2]
