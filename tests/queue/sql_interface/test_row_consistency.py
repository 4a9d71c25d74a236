"""Tests that each document has one consistent row after any sequence of actions."""

from __future__ import annotations

import random
from collections.abc import Callable
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Failure, Reject, Retry
from docyard.model.jobs import Lease
from docyard.pipeline import step as steps
from docyard.pipeline.reruns import retry_document
from tests.pipeline.stage_runs import STAGE_NAMES, VALUES, arrive
from tests.queue.queue_workers import register_worker_committed
from tests.queue.sql_interface.sql_session import set_queue_status, set_source_status

WORDS = [
    *("completed", "cancelled", "error_x", "ocr_failed", "pending_intake", "pre_ocr_pending"),
    *("pre_ocr_processing", "ocr_complete_pending_doc_node"),
]
STATUSES = ["pending", "processing", "completed", "failed", "cancelled"]
FAILURES: list[Failure] = [
    Retry("network", "Gone."),
    Retry("worker_lost", "Killed."),
    Reject("corrupt", "Damaged."),
    Reject("unsupported_file_type", "A film."),
]
LIVE = "SELECT count(*) AS n FROM jobs WHERE type = 'document' AND document_id = %s"


class History:
    """Four documents, and random actions on them by workers, operators and outside programs."""

    def __init__(self, database: Database, conn: Connection, workspace: UUID, seed: int) -> None:
        self.database, self.conn = database, conn
        self.rng = random.Random(seed)
        self.documents = [arrive(database, workspace, str(number)) for number in range(4)]
        self.worker = register_worker_committed(database)
        self.leases: list[Lease] = []

    def act(self) -> None:
        """Perform a random action on a random document."""
        document_id = self.rng.choice(self.documents)
        acts: list[Callable[[], object]] = [
            self.claim,
            self.claim,
            self.work,
            self.work,
            self.work,
            lambda: set_source_status(self.conn, document_id, self.rng.choice(WORDS)),
            lambda: set_queue_status(self.conn, document_id, self.rng.choice(STATUSES)),
            lambda: retry_document(self.conn, document_id),
            lambda: self.conn.execute("SELECT reset_failed_documents_for_retry('0')"),
            lambda: self.conn.execute("DELETE FROM job_history WHERE random() < 0.3"),
        ]
        self.rng.choice(acts)()

    def claim(self) -> None:
        """Claim jobs of a random pool."""
        with self.database.transaction() as conn:
            self.leases += queue.claim(conn, self.rng.choice(STAGE_NAMES), self.worker, 2)

    def work(self) -> None:
        """Run one stage of a leased document, or fail it; the lease may have been lost."""
        if not self.leases:
            return
        lease = self.leases.pop(self.rng.randrange(len(self.leases)))
        with self.database.transaction() as conn:
            step = steps.begin(conn, lease)
        if step is None:
            return
        with self.database.transaction() as conn:
            if self.rng.random() < 0.3:
                steps.fail(conn, lease, self.rng.choice(FAILURES))
            elif steps.record(conn, lease, step, VALUES[step.stage.name], 1.0).next_stage:
                self.leases.append(lease)


def check(conn: Connection, document_id: UUID) -> str:
    """Check that a document has one consistent row in each view; return its final status."""
    (row,) = conn.execute(
        "SELECT q.*, d.status AS kept, s.initial_processing_status AS word"
        " FROM documents d JOIN document_processing_queue q ON q.source_document_uuid = d.id"
        " JOIN source_documents s ON s.document_uuid = d.id WHERE d.id = %s",
        (document_id,),
    ).fetchall()
    (live,) = conn.execute(LIVE, (document_id,)).fetchall()
    ended = row["kept"] in ("completed", "failed", "cancelled")
    assert live["n"] == (0 if ended else 1), row
    if ended:
        assert row["status"] == row["kept"]
        assert row["completed_at"] is not None
    else:
        assert row["status"] in ("pending", "processing", "failed")
        assert row["final_status"] == row["status"]
        assert row["kept"] != "processing" or row["status"] != "failed"
    failed = row["kept"] == "failed"
    assert row["final_status"] != "permanently_failed" or failed
    assert (row["word"].startswith("error") or row["word"] == "ocr_failed") == failed
    assert 0 <= row["retry_count"] <= row["max_retries"]
    return str(row["final_status"])


@pytest.mark.parametrize("seed", range(8))
def test_every_document_has_one_row_after_any_sequence_of_events(
    database: Database, conn: Connection, workspace: UUID, seed: int
) -> None:
    history = History(database, conn, workspace, seed)
    statuses: set[str] = set()
    for _ in range(100):
        history.act()
        statuses |= {check(conn, document_id) for document_id in history.documents}
    assert {"pending", "processing"} < statuses
    both = conn.execute(
        "SELECT (SELECT count(*) FROM source_documents) AS s,"
        " (SELECT count(*) FROM document_processing_queue) AS q,"
        " (SELECT count(*) FROM (SELECT id FROM jobs UNION ALL SELECT id FROM dead_letters) x) AS all_ids,"
        " (SELECT count(*) FROM (SELECT id FROM jobs UNION SELECT id FROM dead_letters) x) AS ids"
    ).fetchone()
    assert both
    assert (both["s"], both["q"]) == (4, 4)
    assert both["all_ids"] == both["ids"]
