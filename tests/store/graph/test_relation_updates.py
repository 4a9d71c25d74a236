"""One job recomputes relations after users decide on fields, in any order and while other jobs run."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as example
from hypothesis import strategies as st

from docyard.db import Database
from docyard.errors import Reject, Retry
from docyard.model.stage_values import DocumentRelations
from docyard.pipeline import step as steps
from docyard.pipeline.cancellation import cancel_jobs, delete_document
from docyard.pipeline.reruns import retry_document
from docyard.store.blobs import FolderBlobs
from docyard.store.documents import get_document
from tests.store.graph.invoice_scenario import NAMES, Invoice

JOBS = "SELECT id, pool, stage, tier, state FROM jobs"


@pytest.fixture
def invoice(database: Database, web_database: Database, blobs: FolderBlobs, workspace: UUID) -> Invoice:
    """A processed invoice with a seller and a buyer."""
    made = Invoice(database, web_database, blobs, workspace)
    assert {("issued", "northgate supplies", ""), ("billed_in", "harbour works", "")} <= made.stored_relations()
    assert made.stored_relations() == made.expected_relations()
    return made


def test_several_decisions_enqueue_one_job_for_one_stage(invoice: Invoice) -> None:
    before = invoice.rows("SELECT status, completed_at FROM documents")
    invoice.runner.ran.clear()
    invoice.decide(invoice.field("seller").id, "rejected")
    invoice.correct(invoice.field("buyer").id, "Quay Partners Ltd")
    invoice.add("party", "Jane Doe")
    (job,) = invoice.rows(JOBS)
    assert (job["pool"], job["stage"], job["tier"]) == ("relate", "relate", 0)
    assert invoice.rows("SELECT status, completed_at FROM documents") == before, "it stays completed"
    assert invoice.work() == 1
    assert invoice.runner.ran == ["relate"]
    assert {("billed_in", "quay partners", ""), ("party_to", "jane doe", "")} <= invoice.stored_relations()
    assert "issued" not in {kind for kind, _, _ in invoice.stored_relations()}
    assert invoice.stored_relations() == invoice.expected_relations()
    assert invoice.rows("SELECT status, completed_at FROM documents") == before


def test_decisions_without_effect_enqueue_no_job(invoice: Invoice) -> None:
    seller = invoice.field("seller").id
    for state in ("confirmed", "confirmed", "unconfirmed"):
        invoice.decide(seller, state)
        assert invoice.rows(JOBS) == [], state
    invoice.decide(seller, "rejected")
    assert len(invoice.rows(JOBS)) == 1


def test_undoing_an_added_value_restores_the_relations(invoice: Invoice) -> None:
    before = invoice.stored_relations()
    invoice.add("party", "Jane Doe")
    invoice.work()
    assert invoice.field_mentions() == {"Jane Doe"}
    (party,) = [each for each in invoice.stored_fields() if each.name == "party"]
    assert (party.source, party.state, party.decided_by) == ("person", "confirmed", "ann@example.org")
    invoice.rerun("fields")
    invoice.work()
    assert invoice.field_mentions() == {"Jane Doe"}, "an added value is kept by a rerun"
    invoice.decide(party.id, "unconfirmed")
    invoice.work()
    assert invoice.field_mentions() == set()
    assert invoice.stored_relations() == before


def test_a_decision_during_relate_is_applied_by_the_same_job(invoice: Invoice) -> None:
    seller, buyer = invoice.field("seller").id, invoice.field("buyer").id
    invoice.decide(seller, "rejected")
    invoice.runner.ran.clear()
    invoice.runner.meanwhile = [lambda: invoice.decide(buyer, "rejected")]
    assert invoice.work() == 1, "the running job repeats the stage"
    assert invoice.runner.ran == ["relate", "relate"]
    assert not {"issued", "billed_in"} & {kind for kind, _, _ in invoice.stored_relations()}


def test_a_decision_during_another_stage_is_applied_by_relate(invoice: Invoice) -> None:
    seller = invoice.field("seller").id
    invoice.rerun("chunk")
    invoice.runner.ran.clear()
    invoice.runner.meanwhile = [lambda: invoice.decide(seller, "rejected")]
    assert invoice.work() == 1
    assert invoice.runner.ran == ["chunk", "relate"]
    assert invoice.stored_relations() == invoice.expected_relations()
    assert invoice.rows("SELECT outcome FROM job_history WHERE outcome <> 'done'") == []


def test_a_retry_replaces_the_job_and_applies_the_decision(invoice: Invoice) -> None:
    invoice.decide(invoice.field("seller").id, "rejected")
    lease, step = invoice.begin()
    invoice.rerun("chunk")
    (job,) = invoice.rows(JOBS)
    assert job["stage"] == "chunk"
    with invoice.db.transaction() as conn:
        assert not steps.record(conn, lease, step, DocumentRelations(()), 1.0).accepted, "it was replaced"
    invoice.runner.ran.clear()
    assert invoice.work() == 1
    assert invoice.runner.ran == ["chunk", "relate"]
    assert invoice.stored_relations() == invoice.expected_relations()


def test_runs_only_relate_even_if_other_results_are_outdated(invoice: Invoice) -> None:
    invoice.rows("UPDATE stage_results SET version = 0 WHERE stage IN ('classify', 'fields') RETURNING 1")
    invoice.runner.ran.clear()
    invoice.decide(invoice.field("seller").id, "rejected")
    invoice.work()
    assert invoice.runner.ran == ["relate"]
    assert invoice.runner.types[-1] == "invoice"
    assert invoice.stored_relations() == invoice.expected_relations()


def test_a_failed_stage_leaves_the_document_completed_and_a_retry_repairs_it(invoice: Invoice) -> None:
    invoice.decide(invoice.field("seller").id, "rejected")
    lease, _ = invoice.begin()
    with invoice.db.transaction() as conn:
        assert steps.fail(conn, lease, Retry("internal", "A slip."))
        assert get_document(conn, invoice.id).status == "completed"
        conn.execute("UPDATE jobs SET run_at = NULL, state = 'pending'")
    lease, _ = invoice.begin()
    with invoice.db.transaction() as conn:
        assert steps.fail(conn, lease, Reject("corrupt", "Permanently broken."))
        document = get_document(conn, invoice.id)
        assert (document.status, document.reason) == ("completed", "Permanently broken.")
        assert retry_document(conn, invoice.id)
    invoice.work()
    assert invoice.stored_relations() == invoice.expected_relations()
    with invoice.db.transaction() as conn:
        assert get_document(conn, invoice.id).reason is None


def test_cancelling_leaves_the_document_completed_and_deleting_removes_the_job(invoice: Invoice) -> None:
    invoice.decide(invoice.field("seller").id, "rejected")
    (job,) = invoice.rows(JOBS)
    with invoice.db.transaction() as conn:
        assert cancel_jobs(conn, [job["id"]], "ann") == [job["id"]]
        assert get_document(conn, invoice.id).status == "completed"
    invoice.decide(invoice.field("buyer").id, "rejected")
    assert len(invoice.rows(JOBS)) == 1
    with invoice.web.transaction(invoice.workspace) as conn:
        delete_document(conn, invoice.id)
    assert invoice.rows(JOBS) == []


def test_concurrent_users_and_a_worker_do_not_deadlock(invoice: Invoice) -> None:
    fields = [each.id for each in invoice.stored_fields() if each.name in ("seller", "buyer", "total")]
    deciding = threading.Event()
    deciding.set()

    def decide(number: int) -> None:
        for state in ("rejected", "unconfirmed", "confirmed") * 4:
            invoice.decide(number, state)

    def work() -> None:
        while deciding.is_set() or invoice.rows(JOBS):
            invoice.work()

    with ThreadPoolExecutor(4) as threads:
        working = threads.submit(work)
        try:
            list(threads.map(decide, fields))
        finally:
            deciding.clear()
        working.result(timeout=60)
    assert invoice.stored_relations() == invoice.expected_relations()
    assert invoice.rows("SELECT DISTINCT outcome FROM job_history") == [{"outcome": "done"}]


DECISIONS = st.tuples(
    st.sampled_from(["confirmed", "rejected", "unconfirmed", "correct", "add"]),
    st.integers(0, 9),
    st.sampled_from([*NAMES, "Jane Doe"]),
)
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("decide"), DECISIONS),
        st.tuples(st.just("meanwhile"), DECISIONS),
        st.tuples(st.just("rerun"), st.sampled_from(["chunk", "fields", "canonicalise", "relate"])),
        st.tuples(st.just("work"), st.none()),
    ),
    max_size=8,
)


@example(ACTIONS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_relations_match_the_fields_after_any_sequence_of_actions(
    invoice: Invoice, actions: list[tuple[str, object]]
) -> None:
    for action, argument in actions:
        if action == "decide":
            apply_decision(invoice, argument)
        elif action == "meanwhile":
            invoice.runner.meanwhile.append(partial(apply_decision, invoice, argument))
        elif action == "rerun":
            invoice.rerun(str(argument))
        else:
            invoice.work()
    invoice.work()
    assert invoice.stored_relations() == invoice.expected_relations()
    assert invoice.rows("SELECT status FROM documents") == [{"status": "completed"}]


def apply_decision(invoice: Invoice, decision: object) -> None:
    assert isinstance(decision, tuple)
    action, which, name = decision
    kept = [each for each in invoice.stored_fields() if each.name in ("seller", "buyer", "party")]
    if action == "add" or not kept:
        invoice.add(("seller", "buyer", "party")[which % 3], name)
    elif action == "correct":
        invoice.correct(kept[which % len(kept)].id, name)
    else:
        invoice.decide(kept[which % len(kept)].id, action)
