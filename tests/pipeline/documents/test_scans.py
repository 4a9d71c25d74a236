"""Scans processed by a real worker: each page is saved when it is read, and retries skip saved pages."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import Any
from uuid import UUID

import pytest

from docyard import queue
from docyard.intake import Arrival, receive
from docyard.model.status import display_state
from docyard.pipeline import page_stages
from docyard.pipeline.reruns import retry_document
from docyard.pipeline.run import Pipeline
from docyard.store.documents import get_document
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.stop_request import StopRequest
from tests.builders import scripted_pages
from tests.builders.images import draw_lines, encode_image, encode_tiff


def add(pipeline: Pipeline, workspace: UUID, name: str, data: bytes | None = None) -> UUID:
    """Upload the data or, by default, a TIFF with one page for each character of the name."""
    data = data or encode_tiff(*(draw_lines([character], (200, 100)) for character in name))
    arrival = Arrival(workspace, name, "upload")
    return receive(pipeline.db, pipeline.blobs, pipeline.limits, arrival, [data]).document_id


def run_until_done(pipeline: Pipeline) -> None:
    for _ in range(12):
        run_worker(pipeline, WorkerOptions(slots=1, single_run=True), StopRequest())
        with pipeline.db.transaction() as conn:
            conn.execute("UPDATE jobs SET run_at = now() WHERE state = 'scheduled'")
            if conn.execute("SELECT FROM jobs").fetchone() is None:
                return
    raise AssertionError("jobs are still live")


def load_state(pipeline: Pipeline, document: UUID) -> dict[str, Any]:
    with pipeline.db.transaction() as conn:
        found = conn.execute("SELECT * FROM documents WHERE id = %s", (document,)).fetchone() or {}
        pages = conn.execute(
            "SELECT number, text, source FROM pages WHERE document_id = %s ORDER BY 1", (document,)
        ).fetchall()
        chunks = conn.execute("SELECT text FROM chunks WHERE document_id = %s", (document,)).fetchall()
        state = display_state(get_document(conn, document)).name
    sources = "".join(row["source"][0] for row in pages)
    return {**found, "sources": sources, "chunks": len(chunks), "state": state}


def list_attempts(pipeline: Pipeline, document: UUID) -> list[int]:
    """Return the attempted pages in order; a call that is repeated at once in a new child counts once."""
    with pipeline.blobs.open_path(load_state(pipeline, document)["blob_key"]) as path:
        return [page for page, _ in groupby(scripted_pages.list_attempted_pages(path))]


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch, pipeline: Pipeline) -> Pipeline:
    """A pipeline with a scripted page reader: the nth character of the document's name decides page n."""
    monkeypatch.setattr(page_stages, "run_stage", scripted_pages.read_or_fail)
    return replace(pipeline, limits=replace(pipeline.limits, page_seconds=1.0))


def test_reads_pages_in_a_separate_job(scripted: Pipeline, workspace: UUID) -> None:
    document = add(scripted, workspace, "ok")
    run_until_done(scripted)
    found = load_state(scripted, document)
    assert (found["state"], found["sources"], found["chunks"]) == ("normal", "oo", 2)
    with scripted.db.transaction() as conn:
        jobs = conn.execute("SELECT pool FROM job_history WHERE pool <> 'embed' ORDER BY finished_at").fetchall()
    assert [row["pool"] for row in jobs] == ["fetch", "ocr", "classify"]


@pytest.mark.parametrize(("script", "category"), [("c", "crash"), ("h", "timeout")])
def test_a_failing_page_does_not_affect_the_others(
    scripted: Pipeline, workspace: UUID, script: str, category: str
) -> None:
    document = add(scripted, workspace, f"o{script}o")
    run_until_done(scripted)
    found = load_state(scripted, document)
    assert (found["status"], found["reason_category"], found["sources"]) == ("completed", category, "oso")
    assert found["reason"].startswith("Page 2 could not be read: ")
    assert (found["state"], found["chunks"]) == ("incomplete", 2)
    assert list_attempts(scripted, document) == [1, 2, 3, 2]


def test_a_retry_reads_the_remaining_pages(
    scripted: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = add(scripted, workspace, "occ")
    run_until_done(scripted)
    before = list_attempts(scripted, document)
    with scripted.db.transaction() as conn:
        conn.execute("UPDATE documents SET name = 'ooo' WHERE id = %s", (document,))
        assert retry_document(conn, document) is not None
    run_until_done(scripted)
    found = load_state(scripted, document)
    assert (found["state"], found["sources"], found["chunks"]) == ("normal", "ooo", 3)
    assert list_attempts(scripted, document) == [*before, 2, 3]


def test_a_long_scan_is_split_into_several_jobs(scripted: Pipeline, workspace: UUID) -> None:
    hasty = replace(scripted, limits=replace(scripted.limits, turn_seconds=0.0))
    document = add(hasty, workspace, "oono")
    run_until_done(hasty)
    found = load_state(hasty, document)
    assert (found["state"], found["sources"], found["chunks"]) == ("normal", "oooo", 4)
    assert list_attempts(hasty, document) == [1, 2, 3, 4]
    with hasty.db.transaction() as conn:
        jobs = conn.execute("SELECT pool FROM job_history WHERE pool <> 'embed' ORDER BY finished_at").fetchall()
    assert [row["pool"] for row in jobs] == ["fetch", *["ocr"] * 4, "classify"]


def test_a_failing_page_does_not_repeat_turns_endlessly(scripted: Pipeline, workspace: UUID) -> None:
    hasty = replace(scripted, limits=replace(scripted.limits, turn_seconds=0.0))
    document = add(hasty, workspace, "ocoo")
    run_until_done(hasty)
    assert load_state(hasty, document)["sources"] == "osoo"
    assert list_attempts(hasty, document) == [1, 2, 3, 4, 2]


def test_a_damaged_page_leaves_the_document_incomplete(scripted: Pipeline, workspace: UUID) -> None:
    document = add(scripted, workspace, "odn")
    run_until_done(scripted)
    found = load_state(scripted, document)
    assert (found["state"], found["sources"], found["chunks"]) == ("incomplete", "oso", 2)
    assert found["reason"] == "Page 2 could not be read: The page is damaged."
    assert found["notes"] == ["Only half of it is there."]
    assert list_attempts(scripted, document) == [1, 2, 3]


@pytest.mark.parametrize(
    ("script", "category", "attempted"),
    [("dd", "corrupt", [1, 2]), ("cc", "crash", [1, 2] * 3), ("dc", "crash", [1, 2] * 3), ("mo", "not_installed", [1])],
)
def test_a_document_without_any_text_is_failed_and_can_be_retried(
    scripted: Pipeline, workspace: UUID, script: str, category: str, attempted: list[int]
) -> None:
    document = add(scripted, workspace, script)
    run_until_done(scripted)
    found = load_state(scripted, document)
    assert (found["state"], found["reason_category"], found["sources"]) == ("failed", category, "ss")
    assert found["reason"].startswith("Pages 1–2 could not be read: ")
    assert list_attempts(scripted, document) == attempted
    with scripted.db.transaction() as conn:
        (letter,) = queue.find_letters_of_document(conn, document)
        assert (letter.category, letter.stage) == (category, "ocr")
        assert len(letter.failure_history) == len(attempted) / (1 if script == "mo" else 2)
        conn.execute("UPDATE documents SET name = 'oo' WHERE id = %s", (document,))
        assert retry_document(conn, document) == letter.id
    run_until_done(scripted)
    found = load_state(scripted, document)
    assert (found["state"], found["sources"], found["chunks"]) == ("normal", "oo", 2)


def test_without_an_ocr_engine_a_document_keeps_its_other_pages(scripted: Pipeline, workspace: UUID) -> None:
    document = add(scripted, workspace, "omm")
    run_until_done(scripted)
    found = load_state(scripted, document)
    assert (found["state"], found["reason_category"], found["chunks"]) == ("incomplete", "not_installed", 1)
    assert found["reason"] == "Pages 2–3 could not be read: Nothing here can read it."


def test_a_retry_of_a_completed_scan_does_nothing(scripted: Pipeline, workspace: UUID) -> None:
    document = add(scripted, workspace, "oo")
    run_until_done(scripted)
    before = load_state(scripted, document)
    with scripted.db.transaction() as conn:
        assert retry_document(conn, document) is None
        assert conn.execute("SELECT requeue_document(%s, 'again') AS done", (document,)).fetchone() == {"done": False}
    run_until_done(scripted)
    assert load_state(scripted, document) == before
    assert list_attempts(scripted, document) == [1, 2]


def test_reads_an_image_with_word_boxes(pipeline: Pipeline, workspace: UUID) -> None:
    document = add(pipeline, workspace, "slip.png", encode_image(draw_lines()))
    run_until_done(pipeline)
    found = load_state(pipeline, document)
    assert (found["state"], found["sources"], found["page_count"]) == ("normal", "o", 1)
    with pipeline.db.transaction() as conn:
        page = conn.execute("SELECT * FROM pages").fetchone() or {}
    assert "harbour" in page["text"]
    assert len(page["confidences"]) * 24 == len(page["words"]) > 0
    assert (page["width"], page["height"]) == (900, 500)
