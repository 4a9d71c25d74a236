"""Every operation moves jobs and documents only as the page of states says, and each line is reached."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import BadInput, NotFound, Reject, Retry, Wait
from docyard.model.jobs import Done, Failed, Lease, NewJob
from docyard.pipeline import step as steps
from docyard.pipeline.cancellation import cancel_document, remove_document
from docyard.pipeline.reprocess import retry_document
from docyard.stages import STAGES
from docyard.store.documents import mark_waiting
from tests.pipeline.travelling import VALUES, arrive, fail, look, saved, take_document, travel_to
from tests.queue.crew import hired
from tests.queue.jobs.transitions import legal, seen_documents, seen_jobs, watch


class Stage:
    """One document after another is brought somewhere and then something happens to it."""

    def __init__(self, database: Database, workspace: UUID) -> None:
        self.database, self.workspace = database, workspace
        self.worker = hired(database)
        self.made = 0

    def bring(self, state: str) -> tuple[UUID, Lease | None]:
        """A new document whose job is in this state."""
        self.made += 1
        document = arrive(self.database, self.workspace, f"{self.made}.txt")
        if state == "pending":
            return document, None
        lease = take_document(self.database, self.worker)
        travel_to(self.database, lease, "extract")
        if state == "scheduled":
            fail(self.database, lease, Retry("timeout", "Slow."))
        if state == "waiting":
            with self.database.transaction() as conn:
                child = NewJob(self.workspace, "chunk", "test", delay_seconds=3600)
                assert queue.wait_for_children(conn, lease, [child], seconds=60)
        return document, lease

    def clear(self) -> None:
        """Forget what is left, so that the next document is the only one."""
        with self.database.transaction() as conn:
            conn.execute("ALTER TABLE jobs DISABLE TRIGGER watched")
            conn.execute("DELETE FROM jobs")
            conn.execute("ALTER TABLE jobs ENABLE TRIGGER watched")

    def happens(self, state: str, act: Callable[[Connection, UUID, Lease], object]) -> UUID:
        """Bring a document into the state and let this happen."""
        self.clear()
        document, lease = self.bring(state)
        with self.database.transaction() as conn:
            act(conn, document, lease)  # type: ignore[arg-type]
        return document

    def again(self, document: UUID) -> None:
        """Somebody asks for one more try."""
        with self.database.transaction() as conn:
            assert retry_document(conn, document)


def outside(status: str) -> Callable[[Connection, UUID, Lease], object]:
    def act(conn: Connection, document: UUID, lease: Lease) -> None:
        del lease
        conn.execute(
            "UPDATE source_documents SET initial_processing_status = %s WHERE document_uuid = %s",
            (status, document),
        )

    return act


def give_back(conn: Connection, document: UUID, lease: Lease) -> None:
    queue.give_back(conn, lease.worker_id)
    mark_waiting(conn, document)


def child_ends(conn: Connection, document: UUID, lease: Lease) -> None:
    (row,) = conn.execute("SELECT id FROM jobs WHERE parent_id = %s", (lease.job_id,)).fetchall()
    queue.cancel_jobs(conn, [row["id"]])


def gives_up_waiting(conn: Connection, document: UUID, lease: Lease) -> None:
    conn.execute("UPDATE jobs SET run_at = '-infinity' WHERE state = 'waiting'")
    for late in queue.overdue_parents(conn, lease.worker_id):
        steps.fail(conn, late.lease, late.failure)


def ends(conn: Connection, document: UUID, lease: Lease) -> None:
    for stage in list(VALUES)[1:]:
        step = steps.Step(look(conn, document), next(s for s in STAGES if s.name == stage))
        assert steps.record(conn, lease, step, VALUES[stage], 0.1).accepted


def cancelled(conn: Connection, document: UUID, lease: Lease) -> None:
    del lease
    cancel_document(conn, document, "somebody")


def test_every_legal_transition_happens_and_no_other(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    watch(conn)
    scene = Stage(database, workspace)
    for state in ("pending", "scheduled", "running", "waiting"):
        scene.again(scene.happens(state, cancelled))
        scene.again(scene.happens(state, outside("completed")))
        scene.again(scene.happens(state, outside("error_x")))
        scene.happens(state, outside("pre_ocr_pending"))
    scene.again(scene.happens("running", lambda c, d, lease: steps.fail(c, lease, Reject("corrupt", "x"))))
    scene.happens("running", lambda c, d, lease: steps.fail(c, lease, Reject("timeout", "x")))
    scene.happens("running", lambda c, d, lease: steps.fail(c, lease, Retry("worker_lost", "x")))
    scene.happens("running", lambda c, d, lease: steps.fail(c, lease, Wait("rate_limit", "x")))
    scene.happens("running", lambda c, d, lease: queue.wait_for_children(c, lease, [], seconds=9))
    scene.happens("running", give_back)
    scene.happens("running", ends)
    scene.happens("waiting", child_ends)
    scene.happens("waiting", gives_up_waiting)
    for state in ("pending", "running"):
        scene.happens(state, lambda c, d, _: remove_document(c, d))
    dead = scene.happens("running", lambda c, d, lease: steps.fail(c, lease, Reject("empty", "x")))
    queue.discard(conn, [letter.id for letter in queue.letters_of_document(conn, dead)])
    queue.enqueue(conn, [NewJob(workspace, "chunk", "test", delay_seconds=9)])
    conn.execute("UPDATE jobs SET run_at = now() WHERE state = 'scheduled'")
    queue.promote_due(conn)
    assert seen_jobs(conn) == legal("job")
    assert seen_documents(conn) == legal("document")


ENDS: dict[str, Callable[[Connection, UUID, Lease], object]] = {
    "completed": ends,
    "failed": lambda c, d, lease: steps.fail(c, lease, Reject("corrupt", "x")),
    "cancelled": cancelled,
    "completed outside": outside("completed"),
    "failed outside": outside("error_x"),
    "cancelled outside": outside("cancelled"),
    "removed": lambda c, d, _: remove_document(c, d),
}
LATE: dict[str, Callable[[Connection, UUID, Lease], object]] = {
    "done": lambda c, d, lease: queue.settle(c, [Done(lease)]),
    "failed": lambda c, d, lease: queue.settle(c, [Failed(lease, "crash", "Late.", final=True)]),
    "retried": lambda c, d, lease: steps.fail(c, lease, Retry("crash", "Late.")),
    "snoozed": lambda c, d, lease: steps.fail(c, lease, Wait("rate_limit", "Late.")),
    "advanced": lambda c, d, lease: queue.advance(c, lease, "chunk"),
    "begun": lambda c, d, lease: steps.begin(c, lease),
    "waits": lambda c, d, lease: queue.wait_for_children(c, lease, [], seconds=9),
    "given back": lambda c, d, lease: queue.give_back(c, lease.worker_id),
    "reaped": lambda c, d, lease: queue.reap(c, lease.worker_id),
    "cancelled": cancelled,
    "cancelled outside": outside("cancelled"),
    "completed outside": outside("completed"),
    "failed outside": outside("error_x"),
}


@pytest.mark.parametrize("ending", ENDS)
def test_what_has_ended_absorbs_whatever_comes_late(
    database: Database, conn: Connection, workspace: UUID, ending: str
) -> None:
    scene = Stage(database, workspace)
    document, lease = scene.bring("running")
    assert lease
    with database.transaction() as acting:
        ENDS[ending](acting, document, lease)
    before = saved(conn, document)
    for name, act in LATE.items():
        try:
            with database.transaction() as late:
                act(late, document, lease)
        except (BadInput, NotFound):
            assert name == "cancelled"  # a person is told
        assert saved(conn, document) == before, name
