"""The stages of a document: each is recorded once, and only for the worker that has the lease."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Failure, Reject, Retry, Wait
from docyard.model.failures import CATEGORIES
from docyard.model.jobs import NewJob
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import (
    Classification,
    DocumentChunks,
    DocumentFields,
    DocumentRelations,
    ExtractedText,
    FetchedFile,
    Source,
)
from docyard.model.stages import Stage, StageResult
from docyard.model.status import display_state
from docyard.pipeline import step as steps
from docyard.pipeline.reruns import retry_document
from docyard.pipeline.stage_order import (
    choose_next_stage,
    document_job_key,
    find_degradation,
    list_dependents,
    list_producers,
    list_stages_to_redo,
    make_stage_job,
)
from docyard.pipeline.storage.classification import get_classification, make_classification_facts
from docyard.stages import STAGES, get_stage
from docyard.store.documents import mark_completed
from tests.pipeline.stage_runs import (
    STAGE_NAMES,
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


def test_one_job_runs_all_stages_and_records_each_once(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    lease = claim_document_job(database, register_worker_committed(database))
    assert [step.stage.name for step in run_stages(database, lease)] == STAGE_NAMES
    document = load_document(conn, document_id)
    assert (document.status, document.title, document.page_count) == ("completed", "Title", 1)
    assert (document.running_seconds, document.notes, document.reason) == (len(STAGE_NAMES), ("A note.",), None)
    rows = load_rows(conn, document_id)
    assert {row["stage"]: row["fence"] for row in rows["stage_results"]} == dict.fromkeys(STAGE_NAMES, 1)
    assert [(row["text"], row["config"]) for row in rows["chunks"]] == [("words", "every_english")]
    assert [row["outcome"] for row in rows["job_history"]] == ["done"]
    assert rows["jobs"] == []


@pytest.mark.parametrize("stage", STAGE_NAMES)
@pytest.mark.parametrize("lost_by", ["reaped", "returned", "cancelled"])
def test_refuses_a_result_after_the_lease_was_lost(
    database: Database, conn: Connection, workspace: UUID, stage: str, lost_by: str
) -> None:
    document_id = arrive(database, workspace)
    worker = register_worker_committed(database)
    lease = claim_document_job(database, worker)
    step = run_until(database, lease, stage)
    lose(database, document_id, worker, lost_by)
    before = load_rows(conn, document_id)
    with database.transaction() as late:
        assert steps.record(late, lease, step, VALUES[stage], 1.0) == steps.REFUSED
    assert not fail(database, lease, Reject("corrupt", "late"))
    assert load_rows(conn, document_id) == before
    assert conn.execute("SELECT rejected FROM workers WHERE id = %s", (worker,)).fetchone() == {"rejected": 2}


def lose(database: Database, document_id: UUID, worker: UUID, how: str) -> None:
    with database.transaction() as conn:
        if how == "reaped":
            conn.execute("UPDATE jobs SET deadline_at = '-infinity'")
            (one,) = queue.reap(conn, register_worker_committed(database))
            assert steps.fail(conn, one.lease, one.failure)
        elif how == "returned":
            assert queue.release_leases(conn, worker) == [document_id]
        else:
            queue.cancel_document(conn, document_id)


def test_a_worker_that_lost_its_lease_cannot_begin(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    sleeper, other = register_worker_committed(database), register_worker_committed(database)
    lease = claim_document_job(database, sleeper)
    lose(database, document_id, sleeper, "returned")
    fail_permanently(database, other, "extract", Reject("corrupt", "The file is damaged."))
    before = load_rows(conn, document_id)
    with database.transaction() as late:
        assert steps.begin(late, lease) is None
    assert load_rows(conn, document_id) == before
    assert load_document(conn, document_id).status == "failed"


@pytest.mark.parametrize("name", sorted(CATEGORIES))
def test_a_document_that_cannot_be_read_is_failed_or_noted(
    database: Database, conn: Connection, workspace: UUID, name: str
) -> None:
    document_id = arrive(database, workspace)
    fail_permanently(database, register_worker_committed(database), "extract", Retry(name, "The reason."))
    document = load_document(conn, document_id)
    assert (document.reason_category, document.reason) == (name, "The reason.")
    attempts = 3 if CATEGORIES[name].retry else 1
    letters = load_rows(conn, document_id)["dead_letters"]
    if CATEGORIES[name].noted:
        assert document.status == "completed"
        assert list_outcomes(conn, document_id) == {"fetch": "done", "extract": "degraded"}
        assert letters == []
    else:
        assert display_state(document).colour == "red"
        assert list_outcomes(conn, document_id) == {"fetch": "done"}
        assert [(row["category"], row["retryable"]) for row in letters] == [(name, CATEGORIES[name].retry)]
        (letter,) = queue.find_letters_of_document(conn, document_id)
        assert [each["attempt"] for each in letter.failure_history] == list(range(1, attempts + 1))
    assert document.running_seconds == 1.0 + attempts


@pytest.mark.parametrize("stage", STAGE_NAMES)
@pytest.mark.parametrize("failure", [Retry("crash", "Why."), Reject("not_found", "Why.")], ids=["crash", "not_found"])
def test_only_a_required_stage_fails_the_document(
    database: Database, conn: Connection, workspace: UUID, stage: str, failure: Failure
) -> None:
    document_id = arrive(database, workspace)
    worker = register_worker_committed(database)
    fail_permanently(database, worker, stage, failure)
    if stage in ("fetch", "extract", "chunk"):
        assert (load_document(conn, document_id).status, load_document(conn, document_id).stage) == ("failed", stage)
        assert retry_document(conn, document_id) is not None
        conn.commit()
    if queue.find_by_dedupe_key(conn, workspace, document_job_key(document_id)):
        finish(database, worker)
    document = load_document(conn, document_id)
    assert (document.status, document.left_out) == ("completed", None if get_stage(stage).required else stage)
    assert queue.find_letters_of_document(conn, document_id) == []


def test_declares_which_stages_are_required() -> None:
    assert [stage.name for stage in STAGES if stage.required] == ["fetch", "extract", "ocr", "chunk"]


def test_shows_the_reason_while_a_retry_is_scheduled(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    worker = register_worker_committed(database)
    lease = claim_document_job(database, worker)
    run_until(database, lease, "extract")
    fail(database, lease, Retry("network", "The store is away."))
    document = load_document(conn, document_id)
    assert (document.status, document.reason) == ("pending", "The store is away.")
    assert document.retry_at is not None
    finish(database, worker)
    document = load_document(conn, document_id)
    assert (document.status, document.reason, document.reason_category) == ("completed", None, None)


def test_waiting_uses_up_no_attempts(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    worker = register_worker_committed(database)
    for _ in range(5):
        lease = claim_document_job(database, worker)
        run_until(database, lease, "classify")
        assert fail(database, lease, Wait("rate_limit", "Later.", 30))
        document = load_document(conn, document_id)
        assert (document.status, document.reason, document.reason_category) == ("pending", "Later.", "rate_limit")
    assert conn.execute("SELECT failures FROM documents").fetchone() == {"failures": 0}
    finish(database, worker)
    assert load_document(conn, document_id).status == "completed"


def test_a_retry_runs_only_stages_without_a_result(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    worker = register_worker_committed(database)
    lease = claim_document_job(database, worker)
    run_until(database, lease, "classify")
    fail(database, lease, Retry("crash", "Once."))
    again = claim_document_job(database, worker)
    assert [step.stage.name for step in run_stages(database, again)] == STAGES_AFTER_EXTRACT
    assert {row["fence"] for row in load_rows(conn, document_id)["stage_results"]} == {1, 2}


def test_chunks_a_document_without_classification(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    worker = register_worker_committed(database)
    fail_permanently(database, worker, "classify", Retry("ai_quota", "Used up."))
    assert load_document(conn, document_id).status == "pending"
    finish(database, worker)
    document = load_document(conn, document_id)
    assert (document.status, document.title, document.reason_category) == ("completed", None, "ai_quota")
    assert list_outcomes(conn, document_id)["chunk"] == "done"
    assert len(load_rows(conn, document_id)["chunks"]) == 1


def test_a_failure_of_another_job_type_does_not_fail_the_document(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    worker = register_worker_committed(database)
    finish(database, worker)
    queue.enqueue(conn, [NewJob(workspace, "chunk", "thumbnail", document_id=document_id)])
    (lease,) = queue.claim(conn, "chunk", worker, 1)
    fail(database, lease, Reject("unknown_type", "No handler."))
    assert load_document(conn, document_id).status == "completed"
    assert len(queue.find_letters_of_document(conn, document_id)) == 1


def test_losing_the_worker_on_the_last_attempt_fails_the_document(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = arrive(database, workspace)
    reaper = register_worker_committed(database)
    for _ in range(3):
        run_until(database, claim_document_job(database, register_worker_committed(database)), "fetch")
        with database.transaction() as upkeep:
            upkeep.execute("UPDATE workers SET heartbeat_at = '-infinity' WHERE id <> %s", (reaper,))
            (one,) = queue.reap(upkeep, reaper)
            steps.fail(upkeep, one.lease, one.failure)
    document = load_document(conn, document_id)
    assert (document.status, document.reason_category) == ("failed", "worker_lost")
    (letter,) = queue.find_letters_of_document(conn, document_id)
    assert [each["category"] for each in letter.failure_history] == ["worker_lost"] * 3
    assert retry_document(conn, document_id) == letter.id
    conn.commit()
    finish(database, reaper)
    assert load_document(conn, document_id).status == "completed"


FETCH = Stage("fetch", 2, "cpu", (Source,), FetchedFile, lambda _: VALUES["fetch"], "Fetch", "")
EXTRACT = Stage("extract", 1, "cpu", (Source, FetchedFile), ExtractedText, lambda _: VALUES["extract"], "Extract", "")


def test_a_new_version_of_a_stage_outdates_the_old_result() -> None:
    old = StageResult("fetch", 1, "degraded", {"category": "timeout", "message": "Slow."})
    assert choose_next_stage([old], [FETCH, EXTRACT]) is FETCH
    assert choose_next_stage([old, StageResult("fetch", 2)], [FETCH, EXTRACT]) is EXTRACT


def test_ignores_degraded_results_of_old_versions() -> None:
    old = StageResult("fetch", 0, "degraded", {"category": "timeout", "message": "Slow."})
    results = [old, *(StageResult(stage, 1) for stage in STAGE_NAMES)]
    assert find_degradation(results) == (None, None)
    assert list_stages_to_redo(results, titled=True) == []


def test_finds_direct_and_indirect_dependents_of_a_stage() -> None:
    classify = _make_stage("classify", (ExtractedText,), Classification)
    improve = _make_stage("improve", (ExtractedText, Classification), Classification)
    cut, find = (
        _make_stage("cut", (ExtractedText,), DocumentChunks),
        _make_stage("find", (Classification,), DocumentFields),
    )
    relate = _make_stage("relate", (DocumentFields,), DocumentRelations)
    stages = [FETCH, EXTRACT, classify, cut, improve, find, relate]
    assert list_dependents(FETCH, stages) == ["extract", "classify", "cut", "improve", "find", "relate"]
    assert list_dependents(EXTRACT, stages) == ["classify", "cut", "improve", "find", "relate"]
    assert list_dependents(classify, stages) == ["improve", "find", "relate"]
    assert list_dependents(improve, stages) == ["find", "relate"]
    assert list_dependents(cut, stages) == list_dependents(relate, stages) == []
    assert (list_producers(Classification, stages), list_producers(ExtractedText, stages)) == (
        ["classify", "improve"],
        ["extract"],
    )


def test_the_last_classifying_stage_takes_precedence(database: Database, conn: Connection, workspace: UUID) -> None:
    document = load_document(conn, arrive(database, workspace))
    first, *_, last = [
        StageResult(name, get_stage(name).version, "done", make_classification_facts(Classification(name, "en")))
        for name in list_producers(Classification)
    ]
    assert (first.stage, last.stage) == ("classify", "classify_ai")
    for recorded, title in (([first], "classify"), ([first, last], "classify_ai"), ([last, first], "classify_ai")):
        assert get_classification(recorded, document).title == title


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
    database: Database, conn: Connection, workspace: UUID, title: str | None, category: str | None, retryable: bool
) -> None:
    document = arrive(database, workspace)
    conn.execute("UPDATE documents SET title = %s", (title,))
    mark_completed(conn, document, 0.0, category=category)
    assert conn.execute("SELECT retryable FROM documents").fetchall() == [{"retryable": retryable}]


def _make_stage(name: str, inputs: tuple[type[StageValue], ...], output: type[StageValue]) -> Stage:
    return Stage(name, 1, "cpu", inputs, output, FETCH.run, name, "")


def test_a_job_for_a_completed_document_does_nothing(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    worker = register_worker_committed(database)
    finish(database, worker)
    before = load_rows(conn, document_id)["stage_results"]
    queue.enqueue(conn, [make_stage_job(conn, load_document(conn, document_id), STAGES[0])])
    assert list(run_stages(database, claim_document_job(database, worker))) == []
    assert load_rows(conn, document_id)["stage_results"] == before
    assert load_document(conn, document_id).status == "completed"


@pytest.mark.parametrize("raised", STAGE_NAMES)
def test_a_raised_version_reruns_the_stage_and_its_dependents(
    database: Database, conn: Connection, workspace: UUID, raised: str
) -> None:
    document_id = arrive(database, workspace)
    worker = register_worker_committed(database)
    finish(database, worker)
    # Upgraded installations have results of older versions.
    conn.execute("UPDATE stage_results SET version = 0 WHERE stage = %s", (raised,))
    conn.commit()
    queue.enqueue(conn, [make_stage_job(conn, load_document(conn, document_id), STAGES[0])])
    conn.commit()
    rerun = [step.stage.name for step in run_stages(database, claim_document_job(database, worker))]
    assert rerun == [name for name in STAGE_NAMES if name == raised or name in list_dependents(get_stage(raised))]
    rows = load_rows(conn, document_id)["stage_results"]
    kept = {(row["stage"], row["version"]) for row in rows}
    assert kept == {(name, get_stage(name).version) for name in STAGE_NAMES} | {(raised, 0)}
    assert load_document(conn, document_id).status == "completed"
