"""Documents through a real worker loop: what fails ends with a reason, and the worker lives on."""

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
from docyard.worker.options import served_pools
from docyard.worker.stopping import Stopping
from tests.making.pdf.pdfs import text_pdf

LONG_PDF = text_pdf(
    *([f"{page}", *(f"{line}: 10.25 11.5 12.75 - 13.0" for line in range(40))] for page in range(400))
)


def _add(pipeline: Pipeline, workspace: UUID, name: str, data: bytes) -> UUID:
    arrival = Arrival(workspace, name, "upload")
    return receive(
        pipeline.db, pipeline.blobs, replace(pipeline.limits, upload_bytes=10**9), arrival, [data]
    ).document_id


def _run(pipeline: Pipeline) -> None:
    options = WorkerOptions(slots=2, single_run=True, resources=("cpu", "ocr"))
    run_worker(pipeline, options, Stopping())


def _run_to_the_end(pipeline: Pipeline) -> None:
    """Let every retry come due at once, as an operator could, until nothing is live."""
    for _ in range(10):
        _run(pipeline)
        with pipeline.db.transaction() as conn:
            conn.execute("UPDATE jobs SET run_at = now() WHERE state = 'scheduled'")
            if conn.execute("SELECT FROM jobs WHERE pool <> 'embed'").fetchone() is None:
                return
    raise AssertionError("jobs are still live")


def _document(pipeline: Pipeline, document: UUID) -> dict[str, Any]:
    with pipeline.db.transaction() as conn:
        return conn.execute("SELECT * FROM documents WHERE id = %s", (document,)).fetchone() or {}


@pytest.mark.parametrize(
    ("name", "data", "status", "category", "words"),
    [
        ("empty.txt", b"", "failed", "empty", "The file is empty."),
        ("empty.pdf", b"", "failed", "empty", "The file is empty."),
        ("cut.pdf", text_pdf(["x"])[:120], "failed", "corrupt", "damaged"),
        ("noise.bin", bytes(range(256)) * 40, "completed", "unsupported_file_type", "stored but not read"),
        (
            "picture.png",
            b"\x89PNG\r\n\x1a\n" + bytes(64),
            "failed",
            "corrupt",
            "damaged",
        ),
    ],
)
def test_bad_files_end_with_a_clear_reason(
    pipeline: Pipeline, workspace: UUID, name: str, data: bytes, status: str, category: str, words: str
) -> None:
    document = _add(pipeline, workspace, name, data)
    good = _add(pipeline, workspace, "good.txt", b"A good file beside the bad one.")
    _run_to_the_end(pipeline)
    ended = _document(pipeline, document)
    assert (ended["status"], ended["reason_category"]) == (status, category)
    assert words in ended["reason"]
    assert _document(pipeline, good)["status"] == "completed"
    with pipeline.blobs.local(ended["blob_key"]) as path:
        assert path.read_bytes() == data


def test_the_content_decides_the_type_not_the_name(pipeline: Pipeline, workspace: UUID) -> None:
    document = _add(pipeline, workspace, "letter.txt", text_pdf(["A letter."], title="A letter"))
    _run_to_the_end(pipeline)
    ended = _document(pipeline, document)
    assert (ended["media_type"], ended["title"], ended["page_count"]) == ("application/pdf", "A letter", 1)


def test_a_stage_that_takes_too_long_is_retried_then_left_out(
    pipeline: Pipeline, workspace: UUID, children: ChildPool
) -> None:
    hasty = Pipeline(pipeline.db, pipeline.blobs, children, replace(pipeline.limits, stage_seconds=0.3))
    document = _add(hasty, workspace, "long.pdf", LONG_PDF)
    _run_to_the_end(hasty)
    ended = _document(hasty, document)
    assert (ended["status"], ended["reason_category"]) == ("completed", "timeout")
    with hasty.db.transaction() as conn:
        row = conn.execute("SELECT outcome, attempts, failure_history FROM job_history").fetchone()
    assert row is not None
    assert (row["outcome"], row["attempts"]) == ("degraded", 3)
    # A child that has yet to load its readers may need a second try for the stage before, too.
    assert {failure["category"] for failure in row["failure_history"]} == {"timeout"}


def test_a_stage_that_takes_too_much_memory_is_retried_then_left_out(
    pipeline: Pipeline, workspace: UUID
) -> None:
    limits = Limits(child_memory_bytes=60 * MEGABYTE, stage_seconds=30)
    with ChildPool(1, limits) as children:
        poor = Pipeline(pipeline.db, pipeline.blobs, children, limits)
        document = _add(poor, workspace, "huge.txt", b"word " * (40 * MEGABYTE))
        _run_to_the_end(poor)
    ended = _document(poor, document)
    assert (ended["status"], ended["reason_category"]) == ("completed", "out_of_memory")


def test_what_was_left_out_is_done_by_a_retry(
    pipeline: Pipeline, workspace: UUID, children: ChildPool
) -> None:
    from docyard.pipeline.reprocess import retry_document

    hasty = Pipeline(pipeline.db, pipeline.blobs, children, replace(pipeline.limits, stage_seconds=0.3))
    document = _add(hasty, workspace, "long.pdf", LONG_PDF)
    _run_to_the_end(hasty)
    with pipeline.db.transaction() as conn:
        assert retry_document(conn, document) is not None
    _run_to_the_end(pipeline)
    ended = _document(pipeline, document)
    assert (ended["status"], ended["reason"], ended["page_count"]) == ("completed", None, 400)


def test_a_job_nobody_can_handle_becomes_a_dead_letter(pipeline: Pipeline, workspace: UUID) -> None:
    with pipeline.db.transaction() as conn:
        queue.enqueue(conn, [NewJob(workspace, "fetch", "juggle")])
    _run(pipeline)
    with pipeline.db.transaction() as conn:
        letters = queue.dead_letters(conn)
    assert [(letter.type, letter.category) for letter in letters] == [("juggle", "unknown_type")]


def test_a_document_whose_bytes_vanished_says_so(pipeline: Pipeline, workspace: UUID) -> None:
    document = _add(pipeline, workspace, "gone.txt", b"Soon gone.")
    with pipeline.blobs.local(_document(pipeline, document)["blob_key"]) as path:
        Path(path).unlink()
    _run_to_the_end(pipeline)
    assert _document(pipeline, document)["reason_category"] == "not_found"


def test_a_key_that_is_a_path_is_not_followed(pipeline: Pipeline, workspace: UUID) -> None:
    with pipeline.db.transaction() as conn:
        conn.execute(
            "INSERT INTO documents (workspace_id, name, blob_key) VALUES (%s, 'x', %s)",
            (workspace, f"{workspace}/../../../etc/passwd"),
        )
    _run_to_the_end(pipeline)
    with pipeline.db.transaction() as conn:
        row = conn.execute("SELECT status, reason_category FROM documents").fetchone()
    assert row == {"status": "failed", "reason_category": "not_found"}


def test_a_worker_serves_what_it_was_told_to() -> None:
    pools = {"fetch": "cpu", "extract": "cpu", "read": "ocr"}
    assert served_pools(WorkerOptions(), pools) == ("fetch", "extract", "read")
    assert served_pools(WorkerOptions(resources=("ocr",)), pools) == ("read",)
    assert served_pools(WorkerOptions(stages=("extract",)), pools) == ("extract",)
    with pytest.raises(BadInput, match="no stage bake"):
        served_pools(WorkerOptions(stages=("bake",)), pools)


def test_a_scan_says_that_it_has_no_text(pipeline: Pipeline, workspace: UUID) -> None:
    document = _add(pipeline, workspace, "scan.pdf", text_pdf([], title="Scanned by a machine"))
    _run_to_the_end(pipeline)
    ended = _document(pipeline, document)
    assert (ended["status"], ended["reason_category"], ended["page_count"]) == ("completed", "no_text", 1)
