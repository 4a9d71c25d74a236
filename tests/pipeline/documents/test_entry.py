"""Jobs of outside programs, inserted by SQL: they see their documents to the end of the road."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg.types.json import Jsonb

from docyard import queue
from docyard.db import Connection
from docyard.errors import Retry
from docyard.intake import Arrival, receive
from docyard.pipeline import extraction_jobs
from docyard.pipeline.cancellation import remove_document
from docyard.pipeline.run import Pipeline
from docyard.queue import monitor
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.duties import parents
from docyard.worker.stopping import Stopping
from tests.pipeline.travelling import AFTER_READING, arrive, fail, finish, take_document, travel, travel_to
from tests.queue.crew import hire, hired
from tests.worker.duties.keeping import do

TYPES = ("email_embedding", "attachment_ingestion", "document_ocr")
READ = sorted(["extract", *AFTER_READING])


@pytest.fixture
def conn(pipeline: Pipeline) -> Iterator[Connection]:
    """A connection that commits each statement, as an outside program's."""
    with pipeline.db.connect() as connection:
        yield connection


def _receive(pipeline: Pipeline, workspace: UUID, text: str, work_order: str | None = None) -> UUID:
    arrival = Arrival(workspace, f"{text[:20]}.txt", "upload")
    document = receive(pipeline.db, pipeline.blobs, pipeline.limits, arrival, [text.encode()]).document_id
    if work_order:
        with pipeline.db.transaction() as conn:
            conn.execute(
                "UPDATE documents SET entity_type = 'work_order', entity_id = %s WHERE id = %s",
                (work_order, document),
            )
    return document


def _insert(
    conn: Connection, workspace: UUID, job_type: str, payload: object = None, entity: str | None = None
) -> UUID:
    row = conn.execute(
        "INSERT INTO extraction_jobs (yacht_id, job_type, payload, entity_type, entity_id)"
        " VALUES (%s, %s, %s, %s, %s) RETURNING id",
        (workspace, job_type, Jsonb(payload or {}), "work_order" if entity else None, entity),
    ).fetchone()
    assert row
    return UUID(str(row["id"]))


def _work(pipeline: Pipeline, rounds: int = 6) -> None:
    """Let a worker claim a few times, whatever waits for a later moment included."""
    for _ in range(rounds):
        _once(pipeline)
        with pipeline.db.transaction() as conn:
            conn.execute("UPDATE jobs SET run_at = now() WHERE state = 'scheduled'")
            if conn.execute("SELECT FROM jobs WHERE state <> 'running'").fetchone() is None:
                return


def _once(pipeline: Pipeline) -> None:
    run_worker(pipeline, WorkerOptions(slots=2, single_run=True), Stopping())


def _put_off(conn: Connection) -> None:
    """Let the roads of all documents wait for a later moment."""
    conn.execute(
        "UPDATE jobs SET state = 'scheduled', run_at = now() + interval '1 hour' WHERE type = 'document'"
    )


def _let_go(conn: Connection, workspace: UUID) -> None:
    conn.execute(
        "UPDATE jobs SET state = 'pending', run_at = NULL WHERE type = 'document' AND workspace_id = %s",
        (workspace,),
    )


def _job(conn: Connection, job_id: UUID) -> dict[str, Any]:
    return conn.execute("SELECT * FROM extraction_jobs WHERE id = %s", (job_id,)).fetchone() or {}


def _document(conn: Connection, document_id: UUID) -> dict[str, Any]:
    return conn.execute("SELECT * FROM documents WHERE id = %s", (document_id,)).fetchone() or {}


def _done_by(conn: Connection, document_id: UUID) -> dict[str, object]:
    """Which job did each stage of a document."""
    rows = conn.execute("SELECT stage, job_id FROM stage_results WHERE document_id = %s", (document_id,))
    return {row["stage"]: row["job_id"] for row in rows}


@pytest.mark.parametrize("name", ["document_id", "source_document_uuid"])
@pytest.mark.parametrize("job_type", TYPES)
def test_a_job_is_completed_when_the_named_document_is(
    pipeline: Pipeline, conn: Connection, workspace: UUID, job_type: str, name: str
) -> None:
    document = _receive(pipeline, workspace, "The anchor winch.")
    job = _insert(conn, workspace, job_type, {name: str(document)})
    _work(pipeline)
    ended, read = _job(conn, job), _document(conn, document)
    assert (ended["status"], ended["error"], read["status"]) == ("completed", None, "completed")
    assert ended["completed_at"] >= read["completed_at"], "not before its document"
    workers = {str(row["id"]) for row in conn.execute("SELECT id FROM workers")}
    assert ended["completed_by"] in workers
    assert len(set(_done_by(conn, document).values())) == 1, "one job did the whole road"


def test_all_documents_attached_to_the_thing_are_waited_for(
    pipeline: Pipeline, conn: Connection, workspace: UUID, other_workspace: UUID
) -> None:
    ours = [_receive(pipeline, workspace, f"Photo {n} of the leak.", "WO-17") for n in range(3)]
    theirs = _receive(pipeline, other_workspace, "Theirs.", "WO-17")
    _put_off(conn)
    job = _insert(conn, workspace, "attachment_ingestion", {"attachment_id": "a-1"}, entity="WO-17")
    _once(pipeline)
    row = conn.execute("SELECT state, children_left FROM jobs WHERE id = %s", (job,)).fetchone()
    assert row == {"state": "waiting", "children_left": 3}
    assert _job(conn, job)["status"] == "processing"
    _let_go(conn, workspace)
    for _ in range(4):
        _once(pipeline)
    assert _job(conn, job)["status"] == "completed"
    assert [_document(conn, document)["status"] for document in ours] == ["completed"] * 3
    assert _document(conn, theirs)["status"] == "pending", "a thing of that name elsewhere is another thing"


def test_reading_again_repeats_the_extraction_and_what_follows_it(
    pipeline: Pipeline, conn: Connection, workspace: UUID
) -> None:
    document = _receive(pipeline, workspace, "Read twice.")
    _work(pipeline)
    first = _done_by(conn, document)
    conn.execute("UPDATE pages SET text = 'Misread.' WHERE document_id = %s", (document,))
    job = _insert(conn, workspace, "document_ocr", {"document_id": str(document)})
    _work(pipeline)
    again = _done_by(conn, document)
    assert _job(conn, job)["status"] == "completed"
    assert sorted(stage for stage in again if again[stage] != first[stage]) == READ
    assert conn.execute("SELECT text FROM pages WHERE document_id = %s", (document,)).fetchone() == {
        "text": "Read twice."
    }
    assert _document(conn, document)["status"] == "completed"


@pytest.mark.parametrize("job_type", ["email_embedding", "attachment_ingestion"])
def test_a_finished_document_is_not_done_twice(
    pipeline: Pipeline, conn: Connection, workspace: UUID, job_type: str
) -> None:
    document = _receive(pipeline, workspace, "Done already.")
    _work(pipeline)
    before = _done_by(conn, document)
    job = _insert(conn, workspace, job_type, {"document_id": str(document)})
    _work(pipeline)
    assert _job(conn, job)["status"] == "completed"
    assert _done_by(conn, document) == before


def test_a_running_road_is_adopted_not_doubled(pipeline: Pipeline, conn: Connection, workspace: UUID) -> None:
    document = arrive(pipeline.db, workspace)
    road = take_document(pipeline.db, hired(pipeline.db))
    stages = travel(pipeline.db, road)
    travelled = []
    for step in stages:
        travelled.append(step.stage.name)
        if step.stage.name == "chunk":
            break
    job = _insert(conn, workspace, "document_ocr", {"document_id": str(document)})
    _once(pipeline)
    live = conn.execute("SELECT id, parent_id, state FROM jobs WHERE type = 'document'").fetchall()
    assert live == [{"id": road.job_id, "parent_id": job, "state": "running"}]
    assert _job(conn, job)["status"] == "processing"
    travelled += [step.stage.name for step in stages]
    # The chunks that were under way were of the old text, so they are cut once more.
    assert travelled == ["fetch", "extract", "classify", "chunk", "extract", *AFTER_READING]
    assert sorted(_done_by(conn, document)) == sorted([*READ, "fetch"])
    _work(pipeline)
    assert (_job(conn, job)["status"], _document(conn, document)["status"]) == ("completed", "completed")


def test_what_failed_but_could_succeed_runs_again(
    pipeline: Pipeline, conn: Connection, workspace: UUID
) -> None:
    document = _receive(pipeline, workspace, "Fails at first.")
    conn.execute("UPDATE source_documents SET initial_processing_status = 'error_scanner'")
    job = _insert(conn, workspace, "attachment_ingestion", {"document_id": str(document)})
    _work(pipeline)
    assert (_job(conn, job)["status"], _document(conn, document)["status"]) == ("completed", "completed")
    assert queue.dead_letters(conn) == []


def test_a_document_that_cannot_be_read_is_said_in_the_error(
    pipeline: Pipeline, conn: Connection, workspace: UUID
) -> None:
    _receive(pipeline, workspace, "A good one.", "WO-9")
    _receive(pipeline, workspace, "", "WO-9")
    job = _insert(conn, workspace, "attachment_ingestion", entity="WO-9")
    _work(pipeline)
    ended = _job(conn, job)
    assert ended["status"] == "completed"
    assert ended["error"] == (
        "1 of 2 documents were not processed to the end: txt: The file is empty."
    )
    history = conn.execute("SELECT outcome FROM job_history WHERE id = %s", (job,)).fetchone()
    assert history == {"outcome": "degraded"}


@pytest.mark.parametrize(
    ("payload", "entity", "words"),
    [
        ({}, None, "The job has no document"),
        ({"attachment_id": "a-1"}, None, "The job has no document"),
        ({}, "WO-404", "No document is attached to work_order WO-404."),
        ({"document_id": "nonsense"}, "WO-1", "document_id is not the id of a document: 'nonsense'."),
        ({"document_id": 17}, None, "document_id is not the id of a document: '17'."),
        ({"document_id": {"a": [1]}}, None, "is not the id of a document"),
        ({"document_id": ""}, None, "is not the id of a document"),
        ({"source_document_uuid": str(UUID(int=0))}, None, f"There is no document {UUID(int=0)} in this"),
        ({"document_id": "x" * 5000}, None, "is not the id of a document"),
    ],
    ids=str,
)
@pytest.mark.parametrize("job_type", TYPES)
def test_nonsense_becomes_a_dead_letter_with_words_and_the_worker_lives(
    pipeline: Pipeline,
    conn: Connection,
    workspace: UUID,
    job_type: str,
    payload: dict[str, object],
    entity: str | None,
    words: str,
) -> None:
    _receive(pipeline, workspace, "A bystander.", "WO-1")
    job = _insert(conn, workspace, job_type, payload, entity)
    _work(pipeline)
    ended = _job(conn, job)
    assert (ended["status"], ended["attempts"]) == ("failed", 1)
    assert words in ended["error"]
    assert [letter.category for letter in queue.dead_letters(conn)] == ["not_found"]
    assert conn.execute("SELECT status FROM documents").fetchone() == {"status": "completed"}


def test_the_document_of_another_workspace_is_none(
    pipeline: Pipeline, conn: Connection, workspace: UUID, other_workspace: UUID
) -> None:
    theirs = _receive(pipeline, other_workspace, "Theirs.")
    _work(pipeline)
    before = _done_by(conn, theirs)
    job = _insert(conn, workspace, "document_ocr", {"document_id": str(theirs)})
    _work(pipeline)
    assert f"There is no document {theirs}" in _job(conn, job)["error"]
    assert _done_by(conn, theirs) == before


def test_two_jobs_for_one_document_both_see_its_end(
    pipeline: Pipeline, conn: Connection, workspace: UUID
) -> None:
    document = arrive(pipeline.db, workspace)
    road = take_document(pipeline.db, hired(pipeline.db))
    jobs = [
        _insert(conn, workspace, "attachment_ingestion", {"document_id": str(document)}) for _ in range(2)
    ]
    for _ in range(3):
        _once(pipeline)
        rows = conn.execute("SELECT state, attempts FROM jobs WHERE id = ANY (%s) ORDER BY state", (jobs,))
        # One has adopted the road; the other looks again later, and not in every round.
        assert rows.fetchall() == [{"state": "scheduled", "attempts": 0}, {"state": "waiting", "attempts": 0}]
    for _ in travel(pipeline.db, road):
        pass
    _work(pipeline)
    assert [_job(conn, job)["status"] for job in jobs] == ["completed"] * 2
    assert conn.execute("SELECT count(*) AS n FROM job_history WHERE type = 'document'").fetchone() == {
        "n": 1
    }


def test_a_document_deleted_meanwhile_ends_the_job_with_words(
    pipeline: Pipeline, conn: Connection, workspace: UUID
) -> None:
    document = arrive(pipeline.db, workspace)
    take_document(pipeline.db, hired(pipeline.db))
    job = _insert(conn, workspace, "attachment_ingestion", {"document_id": str(document)})
    _once(pipeline)
    with pipeline.db.transaction() as deleting:
        remove_document(deleting, document)
    _work(pipeline)
    ended = _job(conn, job)
    assert (ended["status"], ended["error"]) == (
        "completed",
        "1 of 1 documents were not processed to the end.",
    )


def test_a_wait_that_took_too_long_is_taken_up_again_and_ends_with_its_document(
    pipeline: Pipeline, conn: Connection, workspace: UUID
) -> None:
    document = arrive(pipeline.db, workspace)
    road = take_document(pipeline.db, hired(pipeline.db))
    job = _insert(conn, workspace, "document_ocr", {"document_id": str(document)})
    _once(pipeline)
    conn.execute("UPDATE jobs SET run_at = now() WHERE id = %s AND state = 'waiting'", (job,))
    do(pipeline, parents.DUTY, hired(pipeline.db))
    conn.execute("UPDATE jobs SET run_at = now() WHERE id = %s AND state = 'scheduled'", (job,))
    _once(pipeline)
    row = conn.execute("SELECT state, attempts, children_left FROM jobs WHERE id = %s", (job,)).fetchone()
    assert row == {"state": "waiting", "attempts": 1, "children_left": 1}, "one attempt was spent on waiting"
    for _ in travel(pipeline.db, road):
        pass
    _work(pipeline)
    assert _job(conn, job)["status"] == "completed"


def test_a_job_whose_child_needs_another_job_waits_for_that_too(
    pipeline: Pipeline, conn: Connection, workspace: UUID
) -> None:
    """A stage that is left out ends its job; the road goes on in the next one."""
    document = arrive(pipeline.db, workspace)
    _put_off(conn)
    conn.execute("UPDATE jobs SET max_attempts = 1")
    job = _insert(conn, workspace, "attachment_ingestion", {"document_id": str(document)})
    _once(pipeline)
    worker = hired(pipeline.db)
    lease = take_document(pipeline.db, worker)
    travel_to(pipeline.db, lease, "classify")
    assert fail(pipeline.db, lease, Retry("crash", "The reader crashed."))
    _put_off(conn)
    _once(pipeline)
    assert _job(conn, job)["status"] == "processing"
    _let_go(conn, workspace)
    finish(pipeline.db, worker)
    _once(pipeline)
    assert (_job(conn, job)["status"], _document(conn, document)["status"]) == ("completed", "completed")


@pytest.mark.parametrize("read", [True, False], ids=["at its end", "on its road"])
def test_whoever_lost_the_job_changes_nothing(
    pipeline: Pipeline, conn: Connection, workspace: UUID, read: bool
) -> None:
    document = arrive(pipeline.db, workspace)
    worker = hire(conn)
    if read:
        finish(pipeline.db, worker)
    job = _insert(conn, workspace, "document_ocr", {"document_id": str(document)})
    (lease,) = [lease for lease in queue.claim(conn, "fetch", worker, 2) if lease.job_id == job]
    conn.execute("UPDATE jobs SET fence = fence + 1 WHERE id = %s", (job,))
    before = (
        _done_by(conn, document),
        _document(conn, document),
        monitor.count_now(conn).states,
    )
    extraction_jobs.read_again(pipeline, lease, lambda: False)
    assert (
        _done_by(conn, document),
        _document(conn, document),
        monitor.count_now(conn).states,
    ) == before
    assert conn.execute("SELECT rejected FROM workers WHERE id = %s", (worker,)).fetchone() == {"rejected": 1}


def test_a_job_of_our_own_names_its_document_itself(
    pipeline: Pipeline, conn: Connection, workspace: UUID
) -> None:
    document = _receive(pipeline, workspace, "Ours.")
    conn.execute(
        "INSERT INTO jobs (workspace_id, pool, tier, type, document_id, payload)"
        " VALUES (%s, 'extract', 1, 'document_ocr', %s, %s)",
        (workspace, document, Jsonb({"document_id": str(uuid4())})),
    )
    _work(pipeline)
    rows = conn.execute(
        "SELECT type, outcome FROM job_history WHERE pool <> 'embed' ORDER BY type"
    ).fetchall()
    assert rows == [{"type": "document", "outcome": "done"}, {"type": "document_ocr", "outcome": "done"}]
