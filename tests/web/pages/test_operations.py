"""The Operations page: its contents, access and actions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import UUID, uuid4

import psycopg
import pytest

from docyard import queue
from docyard.db import Connection, Database, lock_retries
from docyard.model.jobs import Completion, JobFailure, NewJob, Worker
from docyard.model.tiers import Tier
from docyard.queue import monitor
from docyard.queue.monitor import blockers
from docyard.store.users import set_operator
from docyard.web.pages import operations
from tests.web.conftest import Users
from tests.web.site import Client, Library


@pytest.fixture
def conn(database: Database) -> Iterator[Connection]:
    with database.connect() as connection:
        yield connection


@pytest.fixture
def worker(conn: Connection) -> UUID:
    worker_id = uuid4()
    queue.register(conn, Worker(worker_id, "quay", 7, ("fetch", "extract"), 4, 3600.0))
    return worker_id


def visible_text(page: str) -> str:
    """Return the visible text of a page."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def table_rows(page: str) -> list[list[str]]:
    """Return the words of each row of each table."""
    rows = re.findall(r"<tr.*?</tr>", page, re.DOTALL)
    return [visible_text(row).replace("\N{NO-BREAK SPACE}", " ").split() for row in rows]


def find_advice(page: str) -> list[str]:
    return re.findall(r'data-advice="([^"]*)"', page)


def add_jobs(database: Database, workspace: UUID, tier: Tier = Tier.LOW, count: int = 1) -> None:
    with database.transaction() as conn:
        queue.enqueue(conn, [NewJob(workspace, "extract", "test", tier=tier) for _ in range(count)])


def kill_job(database: Database, worker: UUID, document: UUID, message: str = "Page 3 is torn.") -> None:
    """Turn the job of a document into a dead letter and mark the document as failed."""
    with database.transaction() as conn:
        (lease,) = [one for one in queue.claim(conn, "fetch", worker, 9) if one.document_id == document]
        queue.settle(conn, [JobFailure(lease, "corrupt", message, final=True)])
        conn.execute(
            "UPDATE documents SET status = 'failed', reason = 'torn', completed_at = now() WHERE id = %s", (document,)
        )


def test_only_operators_see_the_link_to_the_page(operator: Client, editor: Client) -> None:
    assert 'href="/operations"' in operator.get("/").text
    page = editor.get("/")
    assert 'href="/operations"' not in page.text
    refused = editor.get("/operations")
    assert "docyard user operator editor@example.org" in refused.text


def test_operator_sees_other_workspaces_only_on_this_page(
    operator: Client, database: Database, conn: Connection, worker: UUID, shelf: Library, workspace: UUID
) -> None:
    document = shelf.add_document(workspace, "mandate.txt", b"The quarrelsome mandate.")
    conn.execute("UPDATE documents SET updated_at = now() - interval '2 hours'")
    monitor.take_sample(conn, lag=0)
    assert "mandate.txt" in operator.get("/operations").text
    kill_job(database, worker, document, "The quarrelsome mandate.")
    assert "quarrelsome mandate" in operator.get("/operations").text
    for path in ("/", "/search?q=quarrelsome", "/api/v1/documents", "/documents/counts"):
        assert "mandate" not in operator.get(path).text.replace('value="quarrelsome"', ""), path
    assert operator.get(f"/documents/{document}").status_code == 404
    assert operator.post(f"/documents/{document}/retry").status_code == 404


def test_revoked_operator_loses_access_immediately(operator: Client, conn: Connection) -> None:
    assert operator.get("/operations").status_code == 200
    set_operator(conn, "operator@example.org", operator=False)
    assert operator.get("/operations").status_code == 403
    assert operator.post("/operations/pause", kind="tier", name="low").status_code == 403


def test_tiers_show_guaranteed_and_actual_share(
    operator: Client, database: Database, conn: Connection, worker: UUID, workspace: UUID
) -> None:
    for tier in Tier:
        add_jobs(database, workspace, tier, 30)
    with database.transaction() as claiming:
        queue.claim(claiming, "extract", worker, 20)
    conn.execute(
        "UPDATE jobs SET arrived_at = now() - interval '70 s', created_at = now() - interval '70 s' WHERE tier = 0"
    )
    monitor.take_sample(conn, lag=0)
    page = operator.get("/operations").text
    rows = [
        visible_text(row).replace("\N{NO-BREAK SPACE}", " ").split()
        for row in re.findall(r"<tr.*?</tr>", page, re.DOTALL)
    ]
    assert next(row for row in rows if row[:2] == ["user", "upload"])[2:10] == [
        "60",
        "%",
        "60",
        "%",
        "18",
        "70",
        "s",
        "(over",
    ]
    assert next(row for row in rows if row[0] == "low")[1:6] == ["10", "%", "10", "%", "28"]
    assert any("user_upload has waited 70 seconds" in one for one in find_advice(page))


def test_pause_and_resume_take_effect_and_are_shown(
    operator: Client, database: Database, conn: Connection, worker: UUID, workspace: UUID
) -> None:
    add_jobs(database, workspace, Tier.LOW, 3)
    for kind, name in (("pool", "extract"), ("tier", "low"), ("workspace", "Main")):
        assert operator.post("/operations/pause", kind=kind, name=name).status_code == 303
        page = operator.get("/operations").text
        assert f"The {kind} {name} is paused: none of its jobs are started." in find_advice(page)
        assert f"docyard resume {kind} {name}" in page
        assert queue.claim(conn, "extract", worker, 1) == []
        operator.post("/operations/resume", kind=kind, name=name)
        assert f"Resumed the {kind} {name}." in operator.get("/operations").text
        assert len(queue.claim(conn, "extract", worker, 1)) == 1
    assert conn.execute("SELECT FROM workspace_limits").fetchall() == []
    assert operator.post("/operations/pause", kind="users", name="x").status_code == 400
    assert operator.post("/operations/pause", kind="pool", name="nowhere").status_code == 404


def test_shows_and_closes_a_breaker(operator: Client, conn: Connection) -> None:
    conn.execute(
        "INSERT INTO pool_breakers (pool, state, category, message, open_until, failures)"
        " VALUES ('extract', 'open', 'rate_limit', 'Slow <down>', now() + interval '9 min', 7)"
    )
    conn.execute("INSERT INTO breaker_marks (pool, good, bad, started_at) VALUES ('extract', 0, 9, now())")
    page = operator.get("/operations").text
    assert "Slow &lt;down&gt;" in page
    assert any("breaker of the pool extract is open" in one for one in find_advice(page))
    assert operator.post("/operations/close-breaker", pool="extract").status_code == 303
    assert conn.execute("SELECT state FROM pool_breakers").fetchone() == {"state": "closed"}
    assert conn.execute("SELECT FROM breaker_marks").fetchall() == []
    assert not any("breaker" in one for one in find_advice(operator.get("/operations").text))


def test_replays_dead_letters_of_a_cause_with_their_documents(
    operator: Client, database: Database, conn: Connection, worker: UUID, shelf: Library, workspace: UUID
) -> None:
    for number in range(2):
        kill_job(
            database, worker, shelf.add_document(workspace, f"{number}.txt", b"%d" % number), f"Page {number} is torn."
        )
    (cause,) = queue.find_causes(conn)
    assert operator.post(f"/operations/causes/{cause.fingerprint}/replay").status_code == 303
    assert "2 dead letters put back into the queue." in operator.get("/operations").text
    assert queue.find_causes(conn) == []
    rows = conn.execute("SELECT d.status, j.state FROM documents d JOIN jobs j ON j.document_id = d.id").fetchall()
    assert rows == [{"status": "pending", "state": "pending"}] * 2


def test_discard_asks_for_confirmation_and_keeps_the_history(
    operator: Client, database: Database, conn: Connection, worker: UUID, shelf: Library, workspace: UUID
) -> None:
    document = shelf.add_document(workspace, "a.txt", b"a")
    kill_job(database, worker, document)
    (cause,) = queue.find_causes(conn)
    path = f"/operations/causes/{cause.fingerprint}/discard"
    assert path in operator.get("/operations").text
    question = operator.get(path)
    assert (question.status_code, "Discard this dead letter?" in question.text) == (200, True)
    assert queue.find_causes(conn) == [cause], "opening the confirmation discards nothing"
    assert operator.post(path).status_code == 303
    assert conn.execute("SELECT outcome FROM job_history").fetchall() == [{"outcome": "discarded"}]
    assert (operator.get(path).status_code, operator.post(path).status_code) == (404, 404)


def test_refuses_prefix_of_a_fingerprint(
    operator: Client, database: Database, conn: Connection, worker: UUID, shelf: Library, workspace: UUID
) -> None:
    kill_job(database, worker, shelf.add_document(workspace, "a.txt", b"a"))
    (cause,) = queue.find_causes(conn)
    for text in (cause.fingerprint[:8], "%25", "0" * 32):
        assert operator.post(f"/operations/causes/{text}/replay").status_code == 404
        assert operator.post(f"/operations/causes/{text}/discard").status_code == 404
    assert queue.find_causes(conn) == [cause]


def test_discards_one_batch_and_reports_the_rest(
    operator: Client,
    database: Database,
    conn: Connection,
    worker: UUID,
    shelf: Library,
    workspace: UUID,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(operations, "MAX_LETTERS", 2)
    for number in range(3):
        kill_job(database, worker, shelf.add_document(workspace, f"{number}.txt", b"%d" % number))
    (cause,) = queue.find_causes(conn)
    operator.post(f"/operations/causes/{cause.fingerprint}/discard")
    assert "2 dead letters discarded." in (page := operator.get("/operations").text)
    assert "1 with this cause is left." in page


def test_writes_require_the_token(operator: Client, conn: Connection) -> None:
    answer = operator.http.post("/operations/pause", data={"csrf": "wrong", "kind": "tier", "name": "low"})
    assert answer.status_code == 403
    assert conn.execute("SELECT bool_or(paused) AS any FROM tiers").fetchone() == {"any": False}


def test_shows_failures_by_category_and_over_time(
    operator: Client, database: Database, conn: Connection, worker: UUID, workspace: UUID
) -> None:
    add_jobs(database, workspace, Tier.LOW, 6)
    with database.transaction() as settling:
        leases = queue.claim(settling, "extract", worker, 6)
        failed = [JobFailure(lease, "timeout", "slow", final=False, delay=60) for lease in leases[:4]]
        queue.settle(settling, [*failed, JobFailure(leases[4], "corrupt", "torn", final=True), Completion(leases[5])])
    page = operator.get("/operations").text
    rows = table_rows(page)
    assert [row[:3] for row in rows if row[:1] in (["timeout"], ["corrupt"])] == [
        ["timeout", "4", "4"],
        ["corrupt", "1", "1"],
    ]
    assert 'aria-label="5 failed attempts in the last 24 hours, at most 5 in half an hour."' in page
    assert page.count("<rect ") == 1


def test_page_has_no_inline_script_or_style(operator: Client, database: Database, workspace: UUID) -> None:
    add_jobs(database, workspace)
    page = operator.get("/operations").text
    assert not re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son\w+=", page)


def test_advises_if_sample_or_worker_is_missing(
    operator: Client, conn: Connection, database: Database, workspace: UUID
) -> None:
    assert find_advice(operator.get("/operations").text) == [
        "The backlog has not been counted yet. A running worker counts it every few seconds."
    ]
    add_jobs(database, workspace)
    monitor.take_sample(conn, lag=0)
    page = operator.get("/operations").text
    assert find_advice(page) == [
        "Jobs have not ended, but no worker is running. Nothing is processed until one starts."
    ]
    assert "<code>docyard worker</code>" in page


def test_names_a_session_that_blocks_work(
    operator: Client, conn: Connection, database_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blockers, "MIN_SECONDS", 0.0)
    monitor.take_sample(conn, lag=0)
    with psycopg.connect(database_address, application_name="psql") as forgotten:
        forgotten.execute("SELECT FROM duties FOR UPDATE")
        forgotten.execute("UPDATE documents SET title = 'x'")
        pid = forgotten.info.backend_pid
        page = operator.get("/operations").text
        (words,) = find_advice(page)
        assert f"The process {pid} (psql, user postgres, from 127.0.0.1) holds locks on documents" in words
        assert f"SELECT pg_terminate_backend({pid})" in page
    assert find_advice(operator.get("/operations").text) == []


def test_names_a_session_that_locks_the_tables_of_the_page(
    operator: Client, database_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock_retries, "_TABLE_TIMEOUT", "50ms")
    monkeypatch.setattr(blockers, "MIN_SECONDS", 0.0)
    with psycopg.connect(database_address, application_name="psql") as forgotten:
        forgotten.execute("LOCK TABLE jobs, queue_samples")
        answer = operator.get("/operations")
        assert answer.status_code == 200
        (words,) = find_advice(answer.text)
        pid = forgotten.info.backend_pid
        assert f"The process {pid} (psql, user postgres, from 127.0.0.1) holds locks on jobs" in words
        assert re.search(r"Its transaction began \d+ seconds ago; it is idle in transaction.", words)
        assert re.search(r"Its last statement, \d+ seconds ago, is &#34;LOCK TABLE jobs, queue_samples&#34;", words)
        assert "because its tables are locked" in answer.text


def test_reports_that_nothing_needs_attention(operator: Client, conn: Connection, worker: UUID, town: Users) -> None:
    monitor.take_sample(conn, lag=0)
    assert "Nothing needs your attention." in operator.get("/operations").text
