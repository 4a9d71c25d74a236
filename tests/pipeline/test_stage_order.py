"""The stages of a document: each is recorded once, and only for the worker that leases the job."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Reject, Retry, Wait
from docyard.model.failures import CATEGORIES, Ending
from docyard.model.jobs import NewJob
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import Chunked, Classified, Extracted, Fetched, Fielded, Related, Source
from docyard.model.stages import Stage, StageResult
from docyard.pipeline import step as steps
from docyard.pipeline.stage_order import degradation, depending, givers, next_stage, stage_job, stages_to_redo
from docyard.pipeline.storage.classification import classification_facts, kept_classification
from docyard.stages import STAGES, stage
from docyard.store.documents import mark_completed
from tests.pipeline.stage_runs import (
    AFTER_READING,
    ROAD,
    VALUES,
    arrive,
    fail,
    fail_for_good,
    finish,
    look,
    outcomes,
    saved,
    take_document,
    travel,
    travel_to,
)
from tests.queue.queue_workers import hired

pytestmark = pytest.mark.usefixtures("quick_commits", "road_alone")


def test_one_job_runs_all_stages_and_records_each_once(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    lease = take_document(database, hired(database))
    assert [step.stage.name for step in travel(database, lease)] == ROAD
    document = look(conn, document_id)
    assert (document.status, document.title, document.page_count) == ("completed", "Title", 1)
    assert (document.running_seconds, document.notes, document.reason) == (len(ROAD), ("A note.",), None)
    rows = saved(conn, document_id)
    assert {row["stage"]: row["fence"] for row in rows["stage_results"]} == dict.fromkeys(ROAD, 1)
    assert [(row["text"], row["config"]) for row in rows["chunks"]] == [("words", "every_english")]
    assert [row["outcome"] for row in rows["job_history"]] == ["done"]
    assert rows["jobs"] == []


@pytest.mark.parametrize("stage", ROAD)
@pytest.mark.parametrize("lost_by", ["reaped", "returned", "cancelled"])
def test_refuses_a_result_after_the_lease_was_lost(
    database: Database, conn: Connection, workspace: UUID, stage: str, lost_by: str
) -> None:
    document_id = arrive(database, workspace)
    worker = hired(database)
    lease = take_document(database, worker)
    step = travel_to(database, lease, stage)
    lose(database, document_id, worker, lost_by)
    before = saved(conn, document_id)
    with database.transaction() as late:
        assert steps.record(late, lease, step, VALUES[stage], 1.0) == steps.REFUSED
    assert not fail(database, lease, Reject("corrupt", "late"))
    assert saved(conn, document_id) == before
    assert conn.execute("SELECT rejected FROM workers WHERE id = %s", (worker,)).fetchone() == {"rejected": 2}


def lose(database: Database, document_id: UUID, worker: UUID, how: str) -> None:
    with database.transaction() as conn:
        if how == "reaped":
            conn.execute("UPDATE jobs SET deadline_at = '-infinity'")
            (one,) = queue.reap(conn, hired(database))
            assert steps.fail(conn, one.lease, one.failure)
        elif how == "returned":
            assert queue.give_back(conn, worker) == [document_id]
        else:
            queue.cancel_document(conn, document_id)


def test_a_worker_that_lost_its_lease_cannot_begin(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    sleeper, other = hired(database), hired(database)
    lease = take_document(database, sleeper)
    lose(database, document_id, sleeper, "returned")
    fail_for_good(database, other, "extract", Reject("corrupt", "The file is damaged."))
    before = saved(conn, document_id)
    with database.transaction() as late:
        assert steps.begin(late, lease) is None
    assert saved(conn, document_id) == before
    assert look(conn, document_id).status == "failed"


@pytest.mark.parametrize("name", sorted(CATEGORIES))
def test_the_failure_category_decides_how_a_document_ends(
    database: Database, conn: Connection, workspace: UUID, name: str
) -> None:
    document_id = arrive(database, workspace)
    fail_for_good(database, hired(database), "extract", Retry(name, "The reason."))
    document = look(conn, document_id)
    assert (document.reason_category, document.reason) == (name, "The reason.")
    letters = queue.letters_of_document(conn, document_id)
    if CATEGORIES[name].ending is Ending.FAILED:
        assert document.status == "failed"
        assert [letter.category for letter in letters] == [name]
    else:
        assert document.status == "completed"
        assert outcomes(conn, document_id) == {"fetch": "done", "extract": "degraded"}
        assert letters == []
    attempts = 3 if CATEGORIES[name].retry else 1
    assert document.running_seconds == 1.0 + attempts


def test_shows_the_reason_while_a_retry_is_scheduled(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    worker = hired(database)
    lease = take_document(database, worker)
    travel_to(database, lease, "extract")
    fail(database, lease, Retry("network", "The store is away."))
    document = look(conn, document_id)
    assert (document.status, document.reason) == ("pending", "The store is away.")
    assert document.retry_at is not None
    finish(database, worker)
    document = look(conn, document_id)
    assert (document.status, document.reason, document.reason_category) == ("completed", None, None)


def test_waiting_uses_up_no_attempts(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    worker = hired(database)
    for _ in range(5):
        lease = take_document(database, worker)
        travel_to(database, lease, "classify")
        assert fail(database, lease, Wait("rate_limit", "Later.", 30))
        assert look(conn, document_id).status == "pending"
    finish(database, worker)
    assert look(conn, document_id).status == "completed"


def test_a_retry_runs_only_stages_without_a_result(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    worker = hired(database)
    lease = take_document(database, worker)
    travel_to(database, lease, "classify")
    fail(database, lease, Retry("crash", "Once."))
    again = take_document(database, worker)
    assert [step.stage.name for step in travel(database, again)] == AFTER_READING
    assert {row["fence"] for row in saved(conn, document_id)["stage_results"]} == {1, 2}


def test_chunks_a_document_without_classification(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    worker = hired(database)
    fail_for_good(database, worker, "classify", Retry("ai_quota", "Used up."))
    assert look(conn, document_id).status == "processing"
    finish(database, worker)
    document = look(conn, document_id)
    assert (document.status, document.title, document.reason_category) == ("completed", None, "ai_quota")
    assert outcomes(conn, document_id)["chunk"] == "done"
    assert len(saved(conn, document_id)["chunks"]) == 1


def test_a_failure_of_another_job_type_does_not_fail_the_document(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    worker = hired(database)
    finish(database, worker)
    queue.enqueue(conn, [NewJob(workspace, "chunk", "thumbnail", document_id=document_id)])
    (lease,) = queue.claim(conn, "chunk", worker, 1)
    fail(database, lease, Reject("unknown_type", "No handler."))
    assert look(conn, document_id).status == "completed"
    assert len(queue.letters_of_document(conn, document_id)) == 1


def test_a_document_lost_on_its_last_attempt_ends_degraded(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    reaper = hired(database)
    for _ in range(3):
        travel_to(database, take_document(database, hired(database)), "fetch")
        with database.transaction() as upkeep:
            upkeep.execute("UPDATE workers SET heartbeat_at = '-infinity' WHERE id <> %s", (reaper,))
            (one,) = queue.reap(upkeep, reaper)
            steps.fail(upkeep, one.lease, one.failure)
    document = look(conn, document_id)
    assert (document.status, document.reason_category) == ("completed", "worker_lost")
    assert outcomes(conn, document_id) == {"fetch": "degraded"}


FETCH = Stage("fetch", 2, "cpu", (Source,), Fetched, lambda _: VALUES["fetch"], "Fetch", "")
EXTRACT = Stage("extract", 1, "cpu", (Source, Fetched), Extracted, lambda _: VALUES["extract"], "Extract", "")


def test_a_new_version_of_a_stage_outdates_the_old_result() -> None:
    old = StageResult("fetch", 1, "degraded", {"category": "timeout", "message": "Slow."})
    assert next_stage([old], [FETCH, EXTRACT]) is FETCH
    assert next_stage([old, StageResult("fetch", 2)], [FETCH, EXTRACT]) is EXTRACT


def test_ignores_degraded_results_of_old_versions() -> None:
    old = StageResult("fetch", 0, "degraded", {"category": "timeout", "message": "Slow."})
    results = [old, *(StageResult(stage, 1) for stage in ROAD)]
    assert degradation(results) == (None, None)
    assert stages_to_redo(results, titled=True) == []


def test_finds_direct_and_indirect_dependents_of_a_stage() -> None:
    names = _make_stage("classify", (Extracted,), Classified)
    improve = _make_stage("improve", (Extracted, Classified), Classified)
    cut, find = _make_stage("cut", (Extracted,), Chunked), _make_stage("find", (Classified,), Fielded)
    relate = _make_stage("relate", (Fielded,), Related)
    stages = [FETCH, EXTRACT, names, cut, improve, find, relate]
    assert depending(FETCH, stages) == ["extract", "classify", "cut", "improve", "find", "relate"]
    assert depending(EXTRACT, stages) == ["classify", "cut", "improve", "find", "relate"]
    assert depending(names, stages) == ["improve", "find", "relate"]
    assert depending(improve, stages) == ["find", "relate"]
    assert depending(cut, stages) == depending(relate, stages) == []
    assert (givers(Classified, stages), givers(Extracted, stages)) == (["classify", "improve"], ["extract"])


def test_the_last_classifying_stage_takes_precedence(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document = look(conn, arrive(database, workspace))
    first, *_, last = [
        StageResult(name, stage(name).version, "done", classification_facts(Classified(name, "en")))
        for name in givers(Classified)
    ]
    assert (first.stage, last.stage) == ("classify", "classify_ai")
    for recorded, title in (
        ([first], "classify"),
        ([first, last], "classify_ai"),
        ([last, first], "classify_ai"),
    ):
        assert kept_classification(recorded, document).title == title


@pytest.mark.parametrize(
    ("title", "category", "retryable"),
    [
        (None, None, True),
        ("A title", None, False),
        (None, "unsupported_file_type", False),
        ("A title", "timeout", True),
    ],
)
def test_marks_degraded_and_untitled_documents_as_retryable(
    database: Database,
    conn: Connection,
    workspace: UUID,
    title: str | None,
    category: str | None,
    retryable: bool,
) -> None:
    document = arrive(database, workspace)
    conn.execute("UPDATE documents SET title = %s", (title,))
    mark_completed(conn, document, 0.0, category=category)
    assert conn.execute("SELECT retryable FROM documents").fetchall() == [{"retryable": retryable}]


def _make_stage(name: str, needs: tuple[type[StageValue], ...], gives: type[StageValue]) -> Stage:
    return Stage(name, 1, "cpu", needs, gives, FETCH.run, name, "")


def test_a_job_for_a_completed_document_does_nothing(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    worker = hired(database)
    finish(database, worker)
    before = saved(conn, document_id)["stage_results"]
    queue.enqueue(conn, [stage_job(conn, look(conn, document_id), STAGES[0])])
    assert list(travel(database, take_document(database, worker))) == []
    assert saved(conn, document_id)["stage_results"] == before
    assert look(conn, document_id).status == "completed"


@pytest.mark.parametrize("raised", ROAD)
def test_a_raised_version_reruns_the_stage_and_its_dependents(
    database: Database, conn: Connection, workspace: UUID, raised: str
) -> None:
    document_id = arrive(database, workspace)
    worker = hired(database)
    finish(database, worker)
    # As results of an installation from before the version was raised.
    conn.execute("UPDATE stage_results SET version = 0 WHERE stage = %s", (raised,))
    conn.commit()
    queue.enqueue(conn, [stage_job(conn, look(conn, document_id), STAGES[0])])
    conn.commit()
    rerun = [step.stage.name for step in travel(database, take_document(database, worker))]
    assert rerun == [name for name in ROAD if name == raised or name in depending(stage(raised))]
    rows = saved(conn, document_id)["stage_results"]
    kept = {(row["stage"], row["version"]) for row in rows}
    assert kept == {(name, stage(name).version) for name in ROAD} | {(raised, 0)}
    assert look(conn, document_id).status == "completed"
