"""Documents processed by a real worker: failures end with a reason, and the worker continues."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from docyard import queue
from docyard.errors import BadInput
from docyard.intake import Arrival, receive
from docyard.model.jobs import NewJob
from docyard.model.limits import MEGABYTE, Limits
from docyard.pipeline.children import ChildPool
from docyard.pipeline.run import Pipeline
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.options import select_pools
from docyard.worker.stop_request import StopRequest
from tests.builders.pdf.pdfs import make_text_pdf

LONG_PDF = make_text_pdf(
    *([f"{page}", *(f"{line}: 10.25 11.5 12.75 - 13.0" for line in range(40))] for page in range(400))
)


def _add(pipeline: Pipeline, workspace: UUID, name: str, data: bytes) -> UUID:
    arrival = Arrival(workspace, name, "upload")
    return receive(
        pipeline.db, pipeline.blobs, replace(pipeline.limits, upload_bytes=10**9), arrival, [data]
    ).document_id


def _run(pipeline: Pipeline) -> None:
    options = WorkerOptions(slots=2, single_run=True, resources=("cpu", "ocr"))
    run_worker(pipeline, options, StopRequest())


def _run_until_done(pipeline: Pipeline) -> None:
    """Run the worker and make all retries due immediately, until only embedding jobs are left."""
    for _ in range(10):
        _run(pipeline)
        with pipeline.db.transaction() as conn:
            conn.execute("UPDATE jobs SET run_at = now() WHERE state = 'scheduled'")
            if conn.execute("SELECT FROM jobs WHERE pool <> 'embed'").fetchone() is None:
                return
    raise AssertionError("jobs are still live")


def _load_document(pipeline: Pipeline, document: UUID) -> dict[str, Any]:
    with pipeline.db.transaction() as conn:
        return conn.execute("SELECT * FROM documents WHERE id = %s", (document,)).fetchone() or {}


@pytest.mark.parametrize(
    ("name", "data", "status", "category", "message"),
    [
        ("empty.txt", b"", "failed", "empty", "The file is empty."),
        ("empty.pdf", b"", "failed", "empty", "The file is empty."),
        ("cut.pdf", make_text_pdf(["x"])[:120], "failed", "corrupt", "damaged"),
        ("noise.bin", bytes(range(256)) * 40, "completed", "unsupported_file_type", "Files of this type are stored"),
        ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(64), "failed", "corrupt", "damaged"),
    ],
)
def test_bad_files_end_with_a_clear_reason(
    pipeline: Pipeline, workspace: UUID, name: str, data: bytes, status: str, category: str, message: str
) -> None:
    document = _add(pipeline, workspace, name, data)
    good = _add(pipeline, workspace, "good.txt", b"A good file next to the bad one.")
    _run_until_done(pipeline)
    ended = _load_document(pipeline, document)
    assert (ended["status"], ended["reason_category"]) == (status, category)
    assert message in ended["reason"]
    assert _load_document(pipeline, good)["status"] == "completed"
    with pipeline.blobs.open_path(ended["blob_key"]) as path:
        assert path.read_bytes() == data


def test_detects_the_type_by_content_not_by_name(pipeline: Pipeline, workspace: UUID) -> None:
    document = _add(pipeline, workspace, "letter.txt", make_text_pdf(["A letter."], title="A letter"))
    _run_until_done(pipeline)
    ended = _load_document(pipeline, document)
    assert (ended["media_type"], ended["title"], ended["page_count"]) == ("application/pdf", "A letter", 1)


def test_retries_then_fails_a_document_that_takes_too_long(
    pipeline: Pipeline, workspace: UUID, children: ChildPool
) -> None:
    hasty = Pipeline(pipeline.db, pipeline.blobs, children, replace(pipeline.limits, stage_seconds=0.05))
    document = _add(hasty, workspace, "long.pdf", LONG_PDF)
    _run_until_done(hasty)
    ended = _load_document(hasty, document)
    assert (ended["status"], ended["reason_category"]) == ("failed", "timeout")
    with hasty.db.transaction() as conn:
        row = conn.execute("SELECT attempts, retryable, failure_history FROM dead_letters").fetchone()
    assert row is not None
    assert (row["attempts"], row["retryable"]) == (3, True)
    # The number of failures varies: the previous stage times out too if the child still loads its readers.
    assert {failure["category"] for failure in row["failure_history"]} == {"timeout"}


def test_retries_then_fails_a_document_that_takes_too_much_memory(pipeline: Pipeline, workspace: UUID) -> None:
    limits = Limits(child_memory_bytes=60 * MEGABYTE, stage_seconds=30)
    with ChildPool(1, limits) as children:
        poor = Pipeline(pipeline.db, pipeline.blobs, children, limits)
        document = _add(poor, workspace, "huge.txt", b"word " * (40 * MEGABYTE))
        _run_until_done(poor)
    ended = _load_document(poor, document)
    assert (ended["status"], ended["reason_category"]) == ("failed", "out_of_memory")


def test_a_retry_runs_the_failed_stage(pipeline: Pipeline, workspace: UUID, children: ChildPool) -> None:
    from docyard.pipeline.reruns import retry_document

    hasty = Pipeline(pipeline.db, pipeline.blobs, children, replace(pipeline.limits, stage_seconds=0.05))
    document = _add(hasty, workspace, "long.pdf", LONG_PDF)
    _run_until_done(hasty)
    with pipeline.db.transaction() as conn:
        assert retry_document(conn, document) is not None
    _run_until_done(pipeline)
    ended = _load_document(pipeline, document)
    assert (ended["status"], ended["reason"], ended["page_count"]) == ("completed", None, 400)


def test_a_job_of_unknown_type_becomes_a_dead_letter(pipeline: Pipeline, workspace: UUID) -> None:
    with pipeline.db.transaction() as conn:
        queue.enqueue(conn, [NewJob(workspace, "fetch", "juggle")])
    _run(pipeline)
    with pipeline.db.transaction() as conn:
        letters = queue.find_dead_letters(conn)
    assert [(letter.type, letter.category) for letter in letters] == [("juggle", "unknown_type")]


def test_reports_a_missing_stored_file(pipeline: Pipeline, workspace: UUID) -> None:
    document = _add(pipeline, workspace, "gone.txt", b"Soon gone.")
    with pipeline.blobs.open_path(_load_document(pipeline, document)["blob_key"]) as path:
        Path(path).unlink()
    _run_until_done(pipeline)
    assert _load_document(pipeline, document)["reason_category"] == "not_found"


def test_does_not_follow_a_blob_key_with_a_path(pipeline: Pipeline, workspace: UUID) -> None:
    with pipeline.db.transaction() as conn:
        conn.execute(
            "INSERT INTO documents (workspace_id, name, blob_key) VALUES (%s, 'x', %s)",
            (workspace, f"{workspace}/../../../etc/passwd"),
        )
    _run_until_done(pipeline)
    with pipeline.db.transaction() as conn:
        row = conn.execute("SELECT status, reason_category FROM documents").fetchone()
    assert row == {"status": "failed", "reason_category": "not_found"}


def test_serves_the_configured_resources_and_stages() -> None:
    pools = {"fetch": "cpu", "extract": "cpu", "read": "ocr"}
    assert select_pools(WorkerOptions(), pools) == ("fetch", "extract", "read")
    assert select_pools(WorkerOptions(resources=("ocr",)), pools) == ("read",)
    assert select_pools(WorkerOptions(stages=("extract",)), pools) == ("extract",)
    with pytest.raises(BadInput, match="Unknown stage: bake"):
        select_pools(WorkerOptions(stages=("bake",)), pools)


def test_reports_that_a_blank_scan_has_no_text(pipeline: Pipeline, workspace: UUID) -> None:
    document = _add(pipeline, workspace, "scan.pdf", make_text_pdf([], title="Scanned by a machine"))
    _run_until_done(pipeline)
    ended = _load_document(pipeline, document)
    assert (ended["status"], ended["reason_category"], ended["page_count"]) == ("completed", "no_text", 1)
