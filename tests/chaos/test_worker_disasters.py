"""Tests of documents whose worker is killed, suspended or drained."""

from __future__ import annotations

import signal

import pytest

from tests.chaos.installation import ChaosInstallation, wait_for

pytestmark = pytest.mark.chaos


def test_documents_of_a_killed_worker_are_finished_by_another(scene: ChaosInstallation) -> None:
    documents = [scene.add_slow(), *scene.add_quick(5)]
    victim = scene.start_worker()
    wait_for(lambda: scene.in_stage(documents[0], "extract"), "the slow document to be extracted")
    victim.kill()
    victim.wait(10)
    scene.start_worker(slots=2)
    scene.wait_all_ended()
    scene.check_each_ended_once(documents)
    history = scene.fetch_row(
        "SELECT failure_history AS f FROM job_history WHERE document_id = %(id)s", id=documents[0]
    )
    assert [failure["category"] for failure in history["f"]] == ["worker_lost"]


def test_the_late_result_of_a_suspended_worker_is_refused(scene: ChaosInstallation) -> None:
    document = scene.add_slow()
    suspended = scene.start_worker()
    wait_for(lambda: scene.in_stage(document, "extract"), "the document to be extracted")
    suspended.send_signal(signal.SIGSTOP)
    scene.start_worker()
    scene.wait_all_ended()
    before = scene.fetch_row("SELECT array_agg((stage, fence, worker_id)::text ORDER BY stage) AS r FROM stage_results")
    suspended.send_signal(signal.SIGCONT)
    wait_for(lambda: scene.fetch_row("SELECT sum(rejected) AS n FROM workers")["n"], "the late result to be refused")
    after = scene.fetch_row("SELECT array_agg((stage, fence, worker_id)::text ORDER BY stage) AS r FROM stage_results")
    assert after == before
    scene.check_each_ended_once([document])


def test_a_resumed_worker_continues_under_a_new_id(scene: ChaosInstallation) -> None:
    worker = scene.start_worker()
    first = wait_for(lambda: scene.fetch_row("SELECT id FROM workers WHERE state = 'alive'").get("id"), "the worker")
    worker.send_signal(signal.SIGSTOP)
    other = scene.start_worker()
    wait_for(
        lambda: scene.fetch_row("SELECT state FROM workers WHERE id = %(id)s", id=first)["state"] == "lost",
        "the worker to be declared lost",
    )
    other.send_signal(signal.SIGTERM)
    other.wait(20)
    worker.send_signal(signal.SIGCONT)
    documents = scene.add_quick(3)
    scene.wait_all_ended()
    scene.check_each_ended_once(documents)
    assert scene.fetch_row("SELECT count(*) AS n FROM stage_results WHERE worker_id = %(id)s", id=first)["n"] == 0


def test_sigterm_lets_a_worker_finish_its_jobs(scene: ChaosInstallation) -> None:
    scene.environ["DOCYARD_DRAIN_SECONDS"] = "600"
    document, waiting = scene.add_slow(), scene.add_slow("later.pdf")
    worker = scene.start_worker()
    wait_for(lambda: scene.in_stage(document, "extract"), "the document to be extracted")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(300) == 0
    statuses = scene.fetch_row("SELECT array_agg(status ORDER BY seq) AS s FROM documents")["s"]
    assert statuses == ["completed", "pending"]
    assert scene.fetch_row("SELECT attempts FROM jobs WHERE document_id = %(id)s", id=waiting) == {"attempts": 0}
    assert scene.fetch_row("SELECT state FROM workers") == {"state": "stopped"}


def test_a_second_sigterm_releases_leases_without_using_an_attempt(scene: ChaosInstallation) -> None:
    document = scene.add_slow()
    worker = scene.start_worker()
    wait_for(lambda: scene.in_stage(document, "extract"), "the document to be extracted")
    worker.send_signal(signal.SIGTERM)
    wait_for(lambda: scene.fetch_row("SELECT state FROM workers")["state"] == "draining", "the worker to drain")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(20) == 0
    job = scene.fetch_row("SELECT state, attempts, worker_id FROM jobs WHERE document_id = %(id)s", id=document)
    assert job == {"state": "pending", "attempts": 0, "worker_id": None}
    assert scene.fetch_row("SELECT status FROM documents")["status"] == "pending"
