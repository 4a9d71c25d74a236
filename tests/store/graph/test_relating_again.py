"""Relations follow what people say of fields, by one job, whatever else runs and in whatever order."""

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
from docyard.model.values import Related
from docyard.pipeline import step as steps
from docyard.pipeline.cancellation import cancel_jobs, remove_document
from docyard.pipeline.reprocess import retry_document
from docyard.store.blobs import FolderBlobs
from docyard.store.documents import get_document
from tests.store.graph.relating import NAMES, Invoice

JOBS = "SELECT id, pool, stage, tier, state FROM jobs"


@pytest.fixture
def invoice(database: Database, web_database: Database, blobs: FolderBlobs, workspace: UUID) -> Invoice:
    """One that names its seller and its buyer."""
    made = Invoice(database, web_database, blobs, workspace)
    assert {("issued", "northgate supplies", ""), ("billed_in", "harbour works", "")} <= made.related()
    assert made.related() == made.follows()
    return made


def test_several_verdicts_make_one_job_that_runs_one_stage(invoice: Invoice) -> None:
    before = invoice.rows("SELECT status, completed_at FROM documents")
    invoice.desk.ran.clear()
    invoice.say(invoice.field("seller").id, "rejected")
    invoice.correct(invoice.field("buyer").id, "Quay Partners Ltd")
    invoice.add("party", "Jane Doe")
    (job,) = invoice.rows(JOBS)
    assert (job["pool"], job["stage"], job["tier"]) == ("relate", "relate", 0)
    assert invoice.rows("SELECT status, completed_at FROM documents") == before, "it is usable all the while"
    assert invoice.work() == 1
    assert invoice.desk.ran == ["relate"]
    assert {("billed_in", "quay partners", ""), ("party_to", "jane doe", "")} <= invoice.related()
    assert "issued" not in {kind for kind, _, _ in invoice.related()}
    assert invoice.related() == invoice.follows()
    assert invoice.rows("SELECT status, completed_at FROM documents") == before


def test_what_changes_nothing_starts_nothing(invoice: Invoice) -> None:
    seller = invoice.field("seller").id
    for state in ("confirmed", "confirmed", "unconfirmed"):
        invoice.say(seller, state)
        assert invoice.rows(JOBS) == [], state
    invoice.say(seller, "rejected")
    assert len(invoice.rows(JOBS)) == 1


def test_what_is_taken_back_comes_back(invoice: Invoice) -> None:
    before = invoice.related()
    invoice.add("party", "Jane Doe")
    invoice.work()
    assert invoice.by_fields() == {"Jane Doe"}
    (party,) = [each for each in invoice.kept() if each.name == "party"]
    assert (party.source, party.state, party.decided_by) == ("person", "confirmed", "ann@example.org")
    invoice.read_again("fields")
    invoice.work()
    assert invoice.by_fields() == {"Jane Doe"}, "what a person added outlives a rerun"
    invoice.say(party.id, "unconfirmed")
    invoice.work()
    assert invoice.by_fields() == set()
    assert invoice.related() == before


def test_a_word_spoken_while_relations_are_found_counts(invoice: Invoice) -> None:
    seller, buyer = invoice.field("seller").id, invoice.field("buyer").id
    invoice.say(seller, "rejected")
    invoice.desk.ran.clear()
    invoice.desk.meanwhile = [lambda: invoice.say(buyer, "rejected")]
    assert invoice.work() == 1, "the job that runs takes it up"
    assert invoice.desk.ran == ["relate", "relate"]
    assert not {"issued", "billed_in"} & {kind for kind, _, _ in invoice.related()}


def test_a_word_spoken_while_another_stage_runs_disturbs_nothing(invoice: Invoice) -> None:
    seller = invoice.field("seller").id
    invoice.read_again("chunk")
    invoice.desk.ran.clear()
    invoice.desk.meanwhile = [lambda: invoice.say(seller, "rejected")]
    assert invoice.work() == 1
    assert invoice.desk.ran == ["chunk", "relate"]
    assert invoice.related() == invoice.follows()
    assert invoice.rows("SELECT outcome FROM job_history WHERE outcome <> 'done'") == []


def test_a_retry_takes_the_place_of_the_job_and_loses_nothing(invoice: Invoice) -> None:
    invoice.say(invoice.field("seller").id, "rejected")
    lease, step = invoice.begin()
    invoice.read_again("chunk")
    (job,) = invoice.rows(JOBS)
    assert job["stage"] == "chunk"
    with invoice.db.transaction() as conn:
        assert not steps.record(conn, lease, step, Related(()), 1.0).accepted, "it was replaced"
    invoice.desk.ran.clear()
    assert invoice.work() == 1
    assert invoice.desk.ran == ["chunk", "relate"]
    assert invoice.related() == invoice.follows()


def test_only_that_stage_runs_though_others_are_of_an_older_version(invoice: Invoice) -> None:
    invoice.rows("UPDATE stage_results SET version = 0 WHERE stage IN ('classify', 'fields') RETURNING 1")
    invoice.desk.ran.clear()
    invoice.say(invoice.field("seller").id, "rejected")
    invoice.work()
    assert invoice.desk.ran == ["relate"]
    assert invoice.desk.types[-1] == "invoice"
    assert invoice.related() == invoice.follows()


def test_a_stage_that_breaks_leaves_the_document_usable_and_a_retry_mends_it(invoice: Invoice) -> None:
    invoice.say(invoice.field("seller").id, "rejected")
    lease, _ = invoice.begin()
    with invoice.db.transaction() as conn:
        assert steps.fail(conn, lease, Retry("internal", "A slip."))
        assert get_document(conn, invoice.id).status == "completed"
        conn.execute("UPDATE jobs SET run_at = NULL, state = 'pending'")
    lease, _ = invoice.begin()
    with invoice.db.transaction() as conn:
        assert steps.fail(conn, lease, Reject("corrupt", "Broken for good."))
        document = get_document(conn, invoice.id)
        assert (document.status, document.reason) == ("completed", "Broken for good.")
        assert retry_document(conn, invoice.id)
    invoice.work()
    assert invoice.related() == invoice.follows()
    with invoice.db.transaction() as conn:
        assert get_document(conn, invoice.id).reason is None


def test_the_job_is_cancelled_alone_and_goes_with_its_document(invoice: Invoice) -> None:
    invoice.say(invoice.field("seller").id, "rejected")
    (job,) = invoice.rows(JOBS)
    with invoice.db.transaction() as conn:
        assert cancel_jobs(conn, [job["id"]], "ann") == [job["id"]]
        assert get_document(conn, invoice.id).status == "completed"
    invoice.say(invoice.field("buyer").id, "rejected")
    assert len(invoice.rows(JOBS)) == 1
    with invoice.web.transaction(invoice.workspace) as conn:
        remove_document(conn, invoice.id)
    assert invoice.rows(JOBS) == []


def test_people_and_a_worker_at_once_never_wait_in_a_ring(invoice: Invoice) -> None:
    fields = [each.id for each in invoice.kept() if each.name in ("seller", "buyer", "total")]
    speaking = threading.Event()
    speaking.set()

    def judge(number: int) -> None:
        for state in ("rejected", "unconfirmed", "confirmed") * 4:
            invoice.say(number, state)

    def work() -> None:
        while speaking.is_set() or invoice.rows(JOBS):
            invoice.work()

    with ThreadPoolExecutor(4) as threads:
        working = threads.submit(work)
        try:
            list(threads.map(judge, fields))
        finally:
            speaking.clear()
        working.result(timeout=60)
    assert invoice.related() == invoice.follows()
    assert invoice.rows("SELECT DISTINCT outcome FROM job_history") == [{"outcome": "done"}]


VERDICTS = st.tuples(
    st.sampled_from(["confirmed", "rejected", "unconfirmed", "correct", "add"]),
    st.integers(0, 9),
    st.sampled_from([*NAMES, "Jane Doe"]),
)
ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), VERDICTS),
        st.tuples(st.just("meanwhile"), VERDICTS),
        st.tuples(st.just("again"), st.sampled_from(["chunk", "fields", "canonicalise", "relate"])),
        st.tuples(st.just("work"), st.none()),
    ),
    max_size=8,
)


@example(ACTS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_in_whatever_order_the_relations_end_as_the_fields_say(
    invoice: Invoice, acts: list[tuple[str, object]]
) -> None:
    for act, what in acts:
        if act == "say":
            speak(invoice, what)
        elif act == "meanwhile":
            invoice.desk.meanwhile.append(partial(speak, invoice, what))
        elif act == "again":
            invoice.read_again(str(what))
        else:
            invoice.work()
    invoice.work()
    assert invoice.related() == invoice.follows()
    assert invoice.rows("SELECT status FROM documents") == [{"status": "completed"}]


def speak(invoice: Invoice, what: object) -> None:
    assert isinstance(what, tuple)
    verdict, which, name = what
    kept = [each for each in invoice.kept() if each.name in ("seller", "buyer", "party")]
    if verdict == "add" or not kept:
        invoice.add(("seller", "buyer", "party")[which % 3], name)
    elif verdict == "correct":
        invoice.correct(kept[which % len(kept)].id, name)
    else:
        invoice.say(kept[which % len(kept)].id, verdict)
