"""`/metrics`: values, text format, cost independent of the backlog, and access."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID, uuid4

import httpx
import pytest
from starlette.requests import Request

from docyard import queue
from docyard.db import Connection, Database
from docyard.model.jobs import Completion, JobFailure, NewJob, Worker
from docyard.model.tiers import Tier
from docyard.queue import monitor
from docyard.store import documents
from docyard.web.context import Web
from docyard.web.metrics.exposition import Metric, format_metrics, format_number
from docyard.web.metrics.queue_metrics import collect_metrics, read_queue_data
from docyard.web.metrics.route import _is_loopback
from tests.queue.query_plans import record_plans
from tests.web.site import Client, run_site

_LINE = re.compile(r'^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*)\})? (NaN|[+-]?Inf|-?[0-9.e+-]+)$')
_LABEL = re.compile(r'([a-z_]+)="((?:[^"\\\n]|\\.)*)"')
Values = dict[tuple[str, frozenset[tuple[str, str]]], float]


def parse(text: str) -> Values:
    """Parse the text format strictly: each line is a value, HELP or TYPE, and TYPE precedes the values."""
    values: Values = {}
    kinds: dict[str, str] = {}
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith("# "):
            _, word, name, rest = line.split(" ", 3)
            assert word in ("HELP", "TYPE")
            if word == "TYPE":
                kinds[name] = rest
            continue
        match = _LINE.match(line)
        assert match, line
        name = match[1]
        assert name in kinds or re.sub(r"_(sum|count|bucket)$", "", name) in kinds, line
        key = (name, frozenset(_LABEL.findall(match[2] or "")))
        assert key not in values, f"duplicate: {line}"
        values[key] = float(match[3].replace("Inf", "inf"))
    return values


@pytest.fixture
def conn(database: Database) -> Iterator[Connection]:
    with database.connect() as connection:
        yield connection


def run_jobs(database: Database, workspace: UUID) -> UUID:
    """Add seven jobs: two done, one retried, one dead, one running, two pending; reject one result."""
    worker = uuid4()
    with database.transaction() as conn:
        queue.register(conn, Worker(worker, "host", 1, ("extract",), 4, 60.0))
        queue.enqueue(conn, [NewJob(workspace, "extract", "test", tier=Tier.USER_UPLOAD) for _ in range(7)])
    with database.transaction() as conn:
        leases = queue.claim(conn, "extract", worker, 5)
        again, dead = (
            JobFailure(leases[2], "timeout", "slow", False, 60),
            JobFailure(leases[3], "corrupt", "torn", True),
        )
        queue.settle(conn, [Completion(leases[0]), Completion(leases[1]), again, dead])
        queue.count_rejected(conn, [leases[0]])
    return worker


def scrape(person: Client) -> Values:
    response = person.get("/metrics")
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return parse(response.text)


def value(values: Values, metric: str, **labels: str) -> float:
    return values[metric, frozenset(labels.items())]


def test_claims_and_settlements_are_counted_immediately_and_unchanged_by_folding(
    town: object, viewer: Client, database: Database, conn: Connection, workspace: UUID
) -> None:
    run_jobs(database, workspace)
    for _ in range(2):
        values = scrape(viewer)
        here = {"pool": "extract", "tier": "user_upload"}
        assert value(values, "docyard_claims_total", **here) == 5
        assert value(values, "docyard_settled_total", **here, outcome="done") == 2
        assert value(values, "docyard_settled_total", **here, outcome="retried") == 1
        assert value(values, "docyard_settled_total", **here, outcome="dead") == 1
        assert value(values, "docyard_failures_total", category="timeout", pool="extract") == 1
        assert value(values, "docyard_failures_total", category="corrupt", pool="extract") == 1
        assert value(values, "docyard_fence_rejections_total") == 1
        assert value(values, "docyard_wait_seconds_count", tier="user_upload") == 5
        assert value(values, "docyard_wait_seconds_count", tier="low") == 0
        assert value(values, "docyard_waits_over_objective_total", tier="user_upload") == 0
        assert value(values, "docyard_workers", state="alive") == 1
        assert value(values, "docyard_sample_age_seconds") == math.inf
        assert monitor.fold_tallies(conn) >= 0


def test_exposes_the_latest_sample(viewer: Client, database: Database, conn: Connection, workspace: UUID) -> None:
    run_jobs(database, workspace)
    row = conn.execute(
        "INSERT INTO documents (workspace_id, name) VALUES (%s, 'd') RETURNING id", (workspace,)
    ).fetchone()
    assert row
    documents.mark_waiting(conn, row["id"], category="timeout", reason="slow")
    documents.mark_completed(conn, row["id"], 1.0)
    conn.execute("INSERT INTO documents (workspace_id, name, updated_at) VALUES (%s, 's', '2020-01-01')", (workspace,))
    monitor.take_sample(conn, lag=0)
    values = scrape(viewer)
    assert value(values, "docyard_queue_depth", pool="extract", tier="user_upload") == 2
    assert value(values, "docyard_queue_depth", pool="chunk", tier="low") == 0
    assert 0 < value(values, "docyard_oldest_wait_seconds", tier="user_upload") < 60
    assert value(values, "docyard_dead_letters") == 1
    assert value(values, "docyard_stuck_documents") == 1
    assert value(values, "docyard_recovery_rate") == 1
    assert value(values, "docyard_pending_to_completed_seconds_count") == 1
    assert value(values, "docyard_pending_to_completed_seconds_bucket", le="10") == 1
    assert value(values, "docyard_pending_to_completed_seconds_bucket", le="+Inf") == 1
    assert value(values, "docyard_dead_tuples", table="jobs") >= 0
    assert value(values, "docyard_xmin_age_seconds") >= 0
    assert 0 <= value(values, "docyard_sample_age_seconds") < 60


def test_exposes_breakers_and_duties(viewer: Client, conn: Connection) -> None:
    conn.execute("INSERT INTO pool_breakers (pool, state, open_until) VALUES ('fetch', 'open', now())")
    conn.execute("INSERT INTO duties (duty, began_at) VALUES ('fold', now() - interval '90 s'), ('never', '-infinity')")
    conn.execute("INSERT INTO duties (duty, began_at, error, failed_at) VALUES ('prune', now(), 'no room', now())")
    values = scrape(viewer)
    states = {state: value(values, "docyard_breaker_state", pool="fetch", state=state) for state in ("open", "closed")}
    assert states == {"open": 1, "closed": 0}
    assert value(values, "docyard_breaker_state", pool="chunk", state="closed") == 1
    assert 90 <= value(values, "docyard_duty_age_seconds", duty="fold") < 120
    assert value(values, "docyard_duty_age_seconds", duty="never") == math.inf
    assert value(values, "docyard_duty_failing", duty="prune") == 1
    assert value(values, "docyard_duty_failing", duty="fold") == 0


def test_scrape_reads_no_table_that_grows_with_the_backlog(
    conn: Connection, database: Database, workspace: UUID
) -> None:
    run_jobs(database, workspace)
    monitor.take_sample(conn, lag=0)
    with record_plans(conn) as nodes:
        list(collect_metrics(read_queue_data(conn)))
    touched = {node["Relation Name"] for node in nodes if "Relation Name" in node}
    assert {"tally_totals", "tallies", "queue_samples", "workers", "duties"} <= touched
    assert not touched & {"jobs", "job_history", "job_history_default", "documents", "dead_letters", "lanes"}


def test_escapes_label_values_and_help() -> None:
    metric = Metric("docyard_test", "gauge", "back\\slash\nline", ("pool",))
    metric.add(1.5, pool='a"b\\c\nd')
    head = "# HELP docyard_test back\\\\slash\\nline\n# TYPE docyard_test gauge\n"
    assert format_metrics([metric]) == head + 'docyard_test{pool="a\\"b\\\\c\\nd"} 1.5\n'
    assert parse(format_metrics([metric])) == {("docyard_test", frozenset({("pool", 'a\\"b\\\\c\\nd')})): 1.5}
    assert [format_number(n) for n in (math.nan, math.inf, -math.inf, 3.0, 0.1, 1e300)] == [
        *("NaN", "+Inf", "-Inf", "3", "0.1", "1e+300")
    ]


@pytest.mark.parametrize("labels", [{}, {"tier": "low"}, {"pool": "ocr", "tier": "low"}])
def test_refuses_labels_that_were_not_declared(labels: dict[str, str]) -> None:
    metric = Metric("docyard_test", "gauge", "A test.", ("pool",))
    with pytest.raises(ValueError, match="docyard_test"):
        metric.add(1, **labels)


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "X-Forwarded-Host"])
def test_refuses_forwarded_request_without_token(viewer: Client, header: str) -> None:
    response = viewer.get("/metrics", **{header: "127.0.0.1"})
    assert (response.status_code, "docyard_" in response.text) == (403, False)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        *(("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("::ffff:127.0.0.1", True)),
        *(("10.0.0.7", False), ("::ffff:10.0.0.7", False), ("2001:db8::1", False), ("testclient", False), ("", False)),
    ],
)
def test_recognises_loopback_addresses(host: str, expected: bool) -> None:
    assert _is_loopback(Request({"type": "http", "client": (host, 1), "headers": []})) is expected


def test_refuses_unknown_host_from_loopback_without_token(viewer: Client) -> None:
    assert viewer.get("/metrics", Host="rebound.example").status_code == 421


def test_token_is_required_and_sufficient(web: Web) -> None:
    with run_site(replace(web, metrics_token="s3cret-ü")) as site, httpx.Client(base_url=site) as http:
        for given in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic s3cret"}):
            response = http.get("/metrics", headers=given)
            assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")
            assert "docyard_" not in response.text
    with run_site(replace(web, metrics_token="s3cret")) as site, httpx.Client(base_url=site) as http:
        known = {"Authorization": "Bearer s3cret", "X-Forwarded-For": "10.0.0.7", "Host": "10.0.0.9:8400"}
        response = http.get("/metrics", headers=known)
        assert (response.status_code, "docyard_workers" in response.text) == (200, True)
        assert http.get("/", headers=known).status_code == 421, "other pages still check the host name"
