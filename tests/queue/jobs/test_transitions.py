"""Tests that exactly the transitions documented in docs/reference/document-states.md occur."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import BadInput, NotFound, Reject, Retry, Wait
from docyard.model.jobs import Completion, JobFailure, Lease, NewJob
from docyard.pipeline import step as steps
from docyard.pipeline.cancellation import cancel_document, delete_document
from docyard.pipeline.reruns import retry_document
from docyard.stages import STAGES, get_stage
from docyard.store.documents import mark_waiting
from tests.pipeline.stage_runs import VALUES, arrive, claim_document_job, fail, load_document, load_rows, run_until
from tests.queue.jobs.transition_recorder import (
    install_recorder,
    list_document_transitions,
    list_job_transitions,
    read_legal_transitions,
)
from tests.queue.queue_workers import register_worker_committed


class Scenario:
    """New documents in chosen states, and actions on them."""

    def __init__(self, database: Database, workspace: UUID) -> None:
        self.database, self.workspace = database, workspace
        self.worker = register_worker_committed(database)
        self.made = 0

    def bring_to(self, state: str) -> tuple[UUID, Lease | None]:
        """Add a document and bring its job to this state; return the document and the lease of its job."""
        self.made += 1
        document = arrive(self.database, self.workspace, f"{self.made}.txt")
        if state == "pending":
            return document, None
        lease = claim_document_job(self.database, self.worker)
        run_until(self.database, lease, "extract")
        if state == "scheduled":
            fail(self.database, lease, Retry("timeout", "Slow."))
        if state == "waiting":
            with self.database.transaction() as conn:
                child = NewJob(self.workspace, "chunk", "test", delay_seconds=3600)
                assert queue.wait_for_children(conn, lease, [child], seconds=60)
        return document, lease

    def clear(self) -> None:
        """Delete all jobs, so that only the next document has a job."""
        with self.database.transaction() as conn:
            conn.execute("ALTER TABLE jobs DISABLE TRIGGER watched")
            conn.execute("DELETE FROM jobs")
            conn.execute("ALTER TABLE jobs ENABLE TRIGGER watched")

    def bring_and_act(self, state: str, act: Callable[[Connection, UUID, Lease], object]) -> UUID:
        """Bring a new document to this state and perform an action on it."""
        self.clear()
        document, lease = self.bring_to(state)
        with self.database.transaction() as conn:
            act(conn, document, lease)  # type: ignore[arg-type]
        return document

    def retry(self, document: UUID) -> None:
        """Retry a document."""
        with self.database.transaction() as conn:
            assert retry_document(conn, document)


def set_status_outside(status: str) -> Callable[[Connection, UUID, Lease], object]:
    def act(conn: Connection, document: UUID, lease: Lease) -> None:
        del lease
        conn.execute(
            "UPDATE source_documents SET initial_processing_status = %s WHERE document_uuid = %s", (status, document)
        )

    return act


def release_lease(conn: Connection, document: UUID, lease: Lease) -> None:
    queue.release_leases(conn, lease.worker_id)
    mark_waiting(conn, document)


def end_child(conn: Connection, document: UUID, lease: Lease) -> None:
    (row,) = conn.execute("SELECT id FROM jobs WHERE parent_id = %s", (lease.job_id,)).fetchall()
    queue.cancel_jobs(conn, [row["id"]])


def time_out_parent(conn: Connection, document: UUID, lease: Lease) -> None:
    conn.execute("UPDATE jobs SET run_at = '-infinity' WHERE state = 'waiting'")
    for late in queue.take_over_overdue_parents(conn, lease.worker_id):
        steps.fail(conn, late.lease, late.failure)


def complete_stages(conn: Connection, document: UUID, lease: Lease) -> None:
    for stage in list(VALUES)[1:]:
        step = steps.Step(load_document(conn, document), next(s for s in STAGES if s.name == stage))
        assert steps.record(conn, lease, step, VALUES[stage], 0.1).accepted


def fail_optional_stage(conn: Connection, document: UUID, lease: Lease) -> None:
    step = steps.Step(load_document(conn, document), get_stage("extract"))
    assert steps.record(conn, lease, step, VALUES["extract"], 0.1).accepted
    assert steps.fail(conn, lease, Reject("timeout", "x"))


def retry_when_stale(conn: Connection, document: UUID, lease: Lease) -> None:
    conn.execute("UPDATE documents SET attempt_started_at = now() - interval '1 hour' WHERE id = %s", (document,))
    assert retry_document(conn, document) == lease.job_id


def cancel(conn: Connection, document: UUID, lease: Lease) -> None:
    del lease
    cancel_document(conn, document, "an operator")


def hold_and_park(scene: Scenario, conn: Connection) -> None:
    """Let an outside processor hold a document, and reset one whose file cannot be fetched."""
    scene.bring_and_act("pending", set_status_outside("pre_ocr_processing"))
    away = scene.bring_and_act("pending", set_status_outside("error_x"))
    conn.execute("UPDATE documents SET blob_key = NULL, original_path = 's3://b/a' WHERE id = %s", (away,))
    conn.execute("UPDATE document_processing_queue SET status = 'pending' WHERE source_document_uuid = %s", (away,))


def fail_and_discard(scene: Scenario, conn: Connection) -> None:
    """Let a document fail, and discard its dead letter."""
    dead = scene.bring_and_act("running", lambda c, d, lease: steps.fail(c, lease, Reject("empty", "x")))
    queue.discard(conn, [letter.id for letter in queue.find_letters_of_document(conn, dead)])


def insert_failed(conn: Connection, workspace: UUID) -> None:
    """Insert a document that has failed already."""
    conn.execute(
        "INSERT INTO documents (workspace_id, name, status, completed_at, reason)"
        " VALUES (%s, 'n', 'failed', now(), 'No paper.')",
        (workspace,),
    )


def test_exactly_the_documented_transitions_occur(database: Database, conn: Connection, workspace: UUID) -> None:
    install_recorder(conn)
    scene = Scenario(database, workspace)
    for state in ("pending", "scheduled", "running", "waiting"):
        scene.retry(scene.bring_and_act(state, cancel))
        scene.retry(scene.bring_and_act(state, set_status_outside("completed")))
        scene.retry(scene.bring_and_act(state, set_status_outside("error_x")))
        scene.bring_and_act(state, set_status_outside("pre_ocr_pending"))
    hold_and_park(scene, conn)
    insert_failed(conn, workspace)
    scene.retry(scene.bring_and_act("running", lambda c, d, lease: steps.fail(c, lease, Reject("corrupt", "x"))))
    scene.bring_and_act("running", fail_optional_stage)
    scene.bring_and_act("running", retry_when_stale)
    scene.bring_and_act("running", lambda c, d, lease: steps.fail(c, lease, Retry("worker_lost", "x")))
    scene.bring_and_act("running", lambda c, d, lease: steps.fail(c, lease, Wait("rate_limit", "x")))
    scene.bring_and_act("running", lambda c, d, lease: queue.wait_for_children(c, lease, [], seconds=9))
    scene.bring_and_act("running", release_lease)
    scene.bring_and_act("running", complete_stages)
    scene.bring_and_act("waiting", end_child)
    scene.bring_and_act("waiting", time_out_parent)
    for state in ("pending", "running"):
        scene.bring_and_act(state, lambda c, d, _: delete_document(c, d))
    fail_and_discard(scene, conn)
    queue.enqueue(conn, [NewJob(workspace, "chunk", "test", delay_seconds=9)])
    conn.execute("UPDATE jobs SET run_at = now() WHERE state = 'scheduled'")
    queue.promote_due(conn)
    assert list_job_transitions(conn) == read_legal_transitions("job")
    assert list_document_transitions(conn) == read_legal_transitions("document")


ENDS: dict[str, Callable[[Connection, UUID, Lease], object]] = {
    "completed": complete_stages,
    "failed": lambda c, d, lease: steps.fail(c, lease, Reject("corrupt", "x")),
    "cancelled": cancel,
    "completed outside": set_status_outside("completed"),
    "failed outside": set_status_outside("error_x"),
    "cancelled outside": set_status_outside("cancelled"),
    "removed": lambda c, d, _: delete_document(c, d),
}
LATE: dict[str, Callable[[Connection, UUID, Lease], object]] = {
    "done": lambda c, d, lease: queue.settle(c, [Completion(lease)]),
    "failed": lambda c, d, lease: queue.settle(c, [JobFailure(lease, "crash", "Late.", final=True)]),
    "retried": lambda c, d, lease: steps.fail(c, lease, Retry("crash", "Late.")),
    "snoozed": lambda c, d, lease: steps.fail(c, lease, Wait("rate_limit", "Late.")),
    "advanced": lambda c, d, lease: queue.advance(c, lease, "chunk"),
    "begun": lambda c, d, lease: steps.begin(c, lease),
    "waits": lambda c, d, lease: queue.wait_for_children(c, lease, [], seconds=9),
    "released": lambda c, d, lease: queue.release_leases(c, lease.worker_id),
    "reaped": lambda c, d, lease: queue.reap(c, lease.worker_id),
    "cancelled": cancel,
    "cancelled outside": set_status_outside("cancelled"),
    "completed outside": set_status_outside("completed"),
    "failed outside": set_status_outside("error_x"),
}


@pytest.mark.parametrize("ending", ENDS)
def test_ended_documents_ignore_late_events(database: Database, conn: Connection, workspace: UUID, ending: str) -> None:
    scene = Scenario(database, workspace)
    document, lease = scene.bring_to("running")
    assert lease
    with database.transaction() as acting:
        ENDS[ending](acting, document, lease)
    before = load_rows(conn, document)
    for name, act in LATE.items():
        try:
            with database.transaction() as late:
                act(late, document, lease)
        except (BadInput, NotFound):
            assert name == "cancelled"  # cancelling an ended document raises an error
        assert load_rows(conn, document) == before, name
