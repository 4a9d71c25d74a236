"""A long test in which workers are killed and suspended at random while documents arrive."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from uuid import UUID

import pytest

from tests.chaos.installation import LEASE, ChaosInstallation, wait_for

pytestmark = [pytest.mark.chaos, pytest.mark.long]

SECONDS = 120.0


def test_every_document_ends_once_under_random_kills_and_suspensions(scene: ChaosInstallation) -> None:
    dice = random.Random(20)  # repeatable
    documents = [scene.add_slow(f"slow-{n}.pdf", pages=80) for n in range(6)]
    crew = [scene.start_worker(slots=2) for _ in range(3)]
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        documents += _add_documents(scene, len(documents))
        _strike(scene, crew, dice)
    for worker in crew:
        worker.send_signal(signal.SIGCONT)
    wait_for(scene.all_ended, "every document to end", patience=300)
    _check(scene, documents)


def _add_documents(scene: ChaosInstallation, already: int) -> list[UUID]:
    return [scene.add(f"note-{already + n}.txt", f"Note {already + n}".encode()) for n in range(20)]


def _strike(scene: ChaosInstallation, crew: list[subprocess.Popen[bytes]], dice: random.Random) -> None:
    """Kill and replace a worker, or suspend one for less or more than its lease."""
    time.sleep(dice.uniform(0.2, 1.5))
    victim = dice.randrange(len(crew))
    if dice.random() < 0.5:
        crew[victim].kill()
        crew[victim] = scene.start_worker(slots=2)
    else:
        crew[victim].send_signal(signal.SIGSTOP)
        time.sleep(LEASE * dice.choice([0.3, 1.5]))
        crew[victim].send_signal(signal.SIGCONT)


def _check(scene: ChaosInstallation, documents: list[UUID]) -> None:
    """Check that each document ended once; it may lack results only if its worker was lost three times."""
    with scene.db.transaction() as conn:
        states = conn.execute("SELECT id, status, reason_category FROM documents").fetchall()
        ends = conn.execute(
            "SELECT count(*) AS rows, count(DISTINCT id) AS jobs FROM"
            " (SELECT id FROM job_history UNION ALL SELECT id FROM dead_letters) e"
        ).fetchone()
        twice = conn.execute(
            "SELECT document_id FROM chunks GROUP BY document_id, ordinal HAVING count(*) > 1"
        ).fetchall()
    assert {row["id"] for row in states} == set(documents)
    assert {(row["status"], row["reason_category"]) for row in states} <= {
        ("completed", None),
        ("completed", "worker_lost"),
        ("failed", "worker_lost"),
    }
    assert ends is not None
    assert ends["rows"] == ends["jobs"]
    assert twice == []
