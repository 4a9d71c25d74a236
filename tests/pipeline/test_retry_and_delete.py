"""Retry and deletion of a document in each of its display states."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import BadInput, Failure, NotFound, Reject, Retry
from docyard.model.jobs import Completion
from docyard.model.status import DISPLAY_STATES, display_state
from docyard.pipeline import step as steps
from docyard.pipeline.cancellation import delete_document
from docyard.pipeline.reruns import process_again, retry_document
from docyard.store.results import list_attempts
from tests.pipeline.stage_runs import (
    STAGES_AFTER_EXTRACT,
    VALUES,
    arrive,
    claim_document_job,
    fail,
    fail_permanently,
    finish,
    list_outcomes,
    load_document,
    load_rows,
    run_stages,
    run_until,
)
from tests.queue.queue_workers import register_worker_committed

pytestmark = pytest.mark.usefixtures("quick_commits", "without_embedding")

FAILURES: dict[str, Failure] = {
    "incomplete": Retry("out_of_memory", "Too big."),
    "noted": Reject("unsupported_file_type", "A film."),
    "failed": Reject("corrupt", "Damaged."),
    "locked": Reject("encrypted", "It needs a password."),
}
UPDATES = {
    "needs_classification": "UPDATE documents SET title = NULL",
    "unclassified": (
        "UPDATE documents SET reason_category = 'network', reason = 'Away.';"
        " INSERT INTO stage_results (document_id, workspace_id, stage, version, outcome, facts, job_id,"
        " fence, worker_id, seconds) SELECT id, workspace_id, 'classify_ai', 1, 'degraded',"
        ' \'{"category": "network", "message": "Away."}\', gen_random_uuid(), 1, gen_random_uuid(), 1'
        " FROM documents"
    ),
    "parked": "UPDATE documents SET blob_key = NULL, original_path = 's3://scans/a.txt'",
    "stale": "UPDATE documents SET attempt_started_at = now() - interval '1 hour'",
    "no_text": "UPDATE documents SET reason_category = 'no_text', reason = 'A scan.'",
    "cancelled": "UPDATE documents SET status = 'cancelled', completed_at = now()",
}


def bring(database: Database, conn: Connection, document_id: UUID, state: str) -> None:
    """Bring a new document into this display state."""
    worker = register_worker_committed(database)
    if state in FAILURES:
        fail_permanently(database, worker, "entities" if state == "incomplete" else "extract", FAILURES[state])
    elif state in ("processing", "stale"):
        run_until(database, claim_document_job(database, worker), "extract")
    elif state in ("normal", "needs_classification", "unclassified", "no_text"):
        finish(database, worker)
    elif state == "cancelled":
        queue.cancel_document(conn, document_id)
    if state in UPDATES:
        conn.execute(UPDATES[state].encode())


@pytest.mark.parametrize("state", [state.name for state in DISPLAY_STATES])
def test_a_retry_runs_only_what_did_not_succeed(
    database: Database, web_database: Database, conn: Connection, workspace: UUID, state: str
) -> None:
    document_id = arrive(database, workspace)
    bring(database, conn, document_id, state)
    assert display_state(load_document(conn, document_id)).name == state
    with web_database.transaction(workspace) as web:
        job = retry_document(web, document_id)
    live = [row["id"] for row in conn.execute("SELECT id FROM jobs")]
    if state in ("normal", "noted", "no_text", "unclassified"):
        assert job is None
        assert live == []
        # Without an LLM connection nothing is missing.
        shown = "normal" if state == "unclassified" else state
        assert display_state(load_document(conn, document_id)).name == shown
        return
    assert len(live) == 1
    assert job == (None if state == "parked" else live[0]), "a parked document is left to its outside processor"
    again = dict.fromkeys(("failed", "locked"), "extract")
    again |= {"incomplete": "entities", "needs_classification": "classify"}
    if state in again or state == "cancelled":
        stages = [
            step.stage.name
            for step in run_stages(database, claim_document_job(database, register_worker_committed(database)))
        ]
        assert stages[0] == again.get(state, "fetch")
        assert display_state(load_document(conn, document_id)).name == "normal"
        assert load_document(conn, document_id).running_seconds == len(stages)


@pytest.mark.parametrize("state", ["failed", "incomplete", "needs_classification", "waiting", "processing", "stale"])
def test_concurrent_retries_return_the_same_job(
    database: Database, web_database: Database, conn: Connection, workspace: UUID, state: str
) -> None:
    document_id = arrive(database, workspace)
    bring(database, conn, document_id, state)
    together = Barrier(2)

    def click(_: int) -> UUID | None:
        with web_database.transaction(workspace) as web:
            web.execute("SELECT")
            together.wait(timeout=30)
            return retry_document(web, document_id)

    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(click, range(2))
    with web_database.transaction(workspace) as web:
        third = retry_document(web, document_id)
    assert first == second == third is not None
    assert len(load_rows(conn, document_id)["jobs"]) == 1


def test_a_retry_of_a_stale_document_takes_it_from_its_worker(
    database: Database, web_database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    sleeper = register_worker_committed(database)
    lease = claim_document_job(database, sleeper)
    step = run_until(database, lease, "extract")
    conn.execute("UPDATE jobs SET attempts = max_attempts")
    conn.execute("UPDATE documents SET running_seconds = 599, attempt_started_at = now() - interval '1 hour'")
    for _ in range(2):  # a second click changes nothing
        with web_database.transaction(workspace) as web:
            assert retry_document(web, document_id) == lease.job_id
        assert display_state(load_document(conn, document_id)).name == "waiting"
        (job,) = load_rows(conn, document_id)["jobs"]
        assert (job["state"], job["attempts"], job["fence"]) == ("pending", 0, lease.fence + 1)
    with database.transaction() as late:
        assert steps.record(late, lease, step, VALUES["extract"], 1.0) == steps.REFUSED
    assert not fail(database, lease, Retry("crash", "late"))
    again = claim_document_job(database, register_worker_committed(database))
    assert (again.attempts, again.fence) == (1, lease.fence + 2)
    assert [step.stage.name for step in run_stages(database, again)] == ["extract", *STAGES_AFTER_EXTRACT]
    document = load_document(conn, document_id)
    assert (document.status, document.running_seconds) == ("completed", len(STAGES_AFTER_EXTRACT) + 1)
    (taken,) = [each for each in list_attempts(conn, document_id) if each.outcome == "timeout"]
    assert (taken.stage, taken.worker) == ("extract", str(sleeper))


def test_a_retry_of_a_stale_document_in_the_queue_keeps_its_job(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    """The attempt may end, and the next stage wait in the queue, after a user has seen that it takes a long time."""
    document_id = arrive(database, workspace)
    bring(database, conn, document_id, "stale")
    conn.execute("UPDATE jobs SET state = 'pending', worker_id = NULL, deadline_at = NULL, started_at = NULL")
    conn.execute("UPDATE documents SET status = 'pending'")
    (before,) = load_rows(conn, document_id)["jobs"]
    assert retry_document(conn, document_id) == before["id"]
    assert load_rows(conn, document_id)["jobs"] == [before]
    assert display_state(load_document(conn, document_id)).name == "waiting"


ENDED = ("normal", "incomplete", "needs_classification", "unclassified", "noted", "no_text", "failed", "cancelled")


@pytest.mark.parametrize("state", ENDED)
def test_a_document_is_processed_again_from_the_start(
    database: Database, web_database: Database, conn: Connection, workspace: UUID, state: str
) -> None:
    document_id = arrive(database, workspace)
    bring(database, conn, document_id, state)
    jobs = set()
    for _ in range(2):  # a second click changes nothing
        with web_database.transaction(workspace) as web:
            jobs.add(process_again(web, document_id))
    assert [row["id"] for row in load_rows(conn, document_id)["jobs"]] == list(jobs)
    assert display_state(load_document(conn, document_id)).name == "waiting"
    lease = claim_document_job(database, register_worker_committed(database))
    stages = [step.stage.name for step in run_stages(database, lease)]
    assert stages == ["fetch" for _ in (1,) if state == "cancelled"] + ["extract", *STAGES_AFTER_EXTRACT]
    document = load_document(conn, document_id)
    assert (display_state(document).name, document.running_seconds) == ("normal", len(stages))
    assert load_rows(conn, document_id)["dead_letters"] == []


def test_concurrent_requests_process_a_document_again_once(
    database: Database, web_database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    bring(database, conn, document_id, "normal")
    together = Barrier(2)

    def click(_: int) -> UUID | None:
        with web_database.transaction(workspace) as web:
            web.execute("SELECT")
            together.wait(timeout=30)
            return process_again(web, document_id)

    with ThreadPoolExecutor(2) as threads:
        assert len(set(threads.map(click, range(2)))) == 1
    assert len(load_rows(conn, document_id)["jobs"]) == 1


@pytest.mark.parametrize("state", ["waiting", "processing"])
def test_processing_again_does_not_disturb_a_live_job(
    database: Database, web_database: Database, conn: Connection, workspace: UUID, state: str
) -> None:
    document_id = arrive(database, workspace)
    bring(database, conn, document_id, state)
    before = load_rows(conn, document_id)
    with web_database.transaction(workspace) as web:
        assert process_again(web, document_id) == before["jobs"][0]["id"]
    assert load_rows(conn, document_id) == before


def test_refuses_to_process_a_document_without_a_file_again(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    bring(database, conn, document_id, "normal")
    conn.execute("UPDATE documents SET blob_key = NULL")
    before = load_rows(conn, document_id)
    with pytest.raises(BadInput, match="No file is stored"):
        process_again(conn, document_id)
    assert load_rows(conn, document_id) == before


def test_retries_a_failed_document_without_a_dead_letter(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    bring(database, conn, document_id, "failed")
    conn.execute("DELETE FROM dead_letters")
    assert retry_document(conn, document_id) is not None
    finish(database, register_worker_committed(database))
    assert load_document(conn, document_id).status == "completed"
    assert list_outcomes(conn, document_id)["extract"] == "done"


def test_refuses_to_retry_or_delete_an_unknown_document(
    conn: Connection, web_database: Database, database: Database, workspace: UUID, other_workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    for act in (retry_document, process_again, delete_document):
        with pytest.raises(NotFound):
            act(conn, other_workspace)
        with pytest.raises(NotFound), web_database.transaction(other_workspace) as web:
            act(web, document_id)
    assert load_document(conn, document_id).status == "pending"


@pytest.mark.parametrize("state", ["waiting", "processing", "failed", "normal"])
def test_deleting_a_document_cancels_its_jobs(
    database: Database, web_database: Database, conn: Connection, workspace: UUID, state: str
) -> None:
    document_id = arrive(database, workspace)
    bring(database, conn, document_id, state)
    with web_database.transaction(workspace) as web:
        delete_document(web, document_id)
    with pytest.raises(NotFound):
        load_document(conn, document_id)
    rows = load_rows(conn, document_id)
    assert rows["jobs"] == rows["dead_letters"] == []
    expected = {"waiting": ["cancelled"], "processing": ["cancelled"], "failed": [], "normal": ["done"]}
    assert [row["outcome"] for row in rows["job_history"]] == expected[state]


def test_refuses_a_result_after_the_deletion(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    lease = claim_document_job(database, register_worker_committed(database))
    run_until(database, lease, "extract")
    delete_document(conn, document_id)
    before = load_rows(conn, document_id)
    assert queue.settle(conn, [Completion(lease)]) == set()
    assert not fail(database, lease, Retry("crash", "late"))
    assert load_rows(conn, document_id) == before


def test_a_job_of_a_deleted_document_ends_as_cancelled(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    conn.execute("UPDATE documents SET deleted_at = now()")
    assert list(run_stages(database, claim_document_job(database, register_worker_committed(database)))) == []
    rows = load_rows(conn, document_id)
    assert [row["outcome"] for row in rows["job_history"]] == ["cancelled"]
    assert rows["jobs"] == []
