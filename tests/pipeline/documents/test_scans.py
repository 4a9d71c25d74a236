"""Scans through a real worker: a page is kept when it is read; only what was not read is tried again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from docyard.intake import Arrival, receive
from docyard.model.status import display_state
from docyard.pipeline import page_stages
from docyard.pipeline.reprocess import retry_document
from docyard.pipeline.run import Pipeline
from docyard.store.documents import get_document
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.stopping import Stopping
from tests.making import readings
from tests.making.pictures import drawn, pages_tiff, stored


def add(pipeline: Pipeline, workspace: UUID, name: str, data: bytes | None = None) -> UUID:
    """A TIFF with a page for each letter of its name, or the given file."""
    data = data or pages_tiff(*(drawn([letter], (200, 100)) for letter in name))
    arrival = Arrival(workspace, name, "upload")
    return receive(pipeline.db, pipeline.blobs, pipeline.limits, arrival, [data]).document_id


def run_to_the_end(pipeline: Pipeline) -> None:
    for _ in range(12):
        run_worker(pipeline, WorkerOptions(slots=1, single_run=True), Stopping())
        with pipeline.db.transaction() as conn:
            conn.execute("UPDATE jobs SET run_at = now() WHERE state = 'scheduled'")
            if conn.execute("SELECT FROM jobs").fetchone() is None:
                return
    raise AssertionError("jobs are still live")


def look(pipeline: Pipeline, document: UUID) -> dict[str, Any]:
    with pipeline.db.transaction() as conn:
        found = conn.execute("SELECT * FROM documents WHERE id = %s", (document,)).fetchone() or {}
        pages = conn.execute(
            "SELECT number, text, source FROM pages WHERE document_id = %s ORDER BY 1", (document,)
        ).fetchall()
        chunks = conn.execute("SELECT text FROM chunks WHERE document_id = %s", (document,)).fetchall()
        state = display_state(get_document(conn, document)).name
    sources = "".join(row["source"][0] for row in pages)
    return {**found, "sources": sources, "chunks": len(chunks), "state": state}


def tried(pipeline: Pipeline, document: UUID) -> list[int]:
    with pipeline.blobs.local(look(pipeline, document)["blob_key"]) as path:
        return readings.tried(path)


@pytest.fixture
def acted(monkeypatch: pytest.MonkeyPatch, pipeline: Pipeline) -> Pipeline:
    """Pages do what the document's name says, in real children."""
    monkeypatch.setattr(page_stages, "run_stage", readings.read_or_fail)
    return replace(pipeline, limits=replace(pipeline.limits, page_seconds=1.0))


def test_pages_are_read_by_a_job_of_their_own(acted: Pipeline, workspace: UUID) -> None:
    document = add(acted, workspace, "ok")
    run_to_the_end(acted)
    found = look(acted, document)
    assert (found["state"], found["sources"], found["chunks"]) == ("normal", "oo", 2)
    with acted.db.transaction() as conn:
        jobs = conn.execute(
            "SELECT pool FROM job_history WHERE pool <> 'embed' ORDER BY finished_at"
        ).fetchall()
    assert [row["pool"] for row in jobs] == ["fetch", "ocr", "classify"]


@pytest.mark.parametrize(("deed", "category"), [("c", "crash"), ("h", "timeout")])
def test_a_page_that_goes_wrong_does_not_lose_the_others(
    acted: Pipeline, workspace: UUID, deed: str, category: str
) -> None:
    document = add(acted, workspace, f"o{deed}o")
    run_to_the_end(acted)
    found = look(acted, document)
    assert (found["status"], found["reason_category"], found["sources"]) == ("completed", category, "oso")
    assert found["reason"].startswith("Page 2 could not be read: ")
    assert found["chunks"] == 2
    assert tried(acted, document) == [1, 2, 3, 2, 2]


def test_a_retry_reads_what_is_left_and_makes_it_searchable(
    acted: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = add(acted, workspace, "occ")
    run_to_the_end(acted)
    before = tried(acted, document)
    with acted.db.transaction() as conn:
        conn.execute("UPDATE documents SET name = 'ooo' WHERE id = %s", (document,))
        assert retry_document(conn, document) is not None
    run_to_the_end(acted)
    found = look(acted, document)
    assert (found["state"], found["sources"], found["chunks"]) == ("normal", "ooo", 3)
    assert tried(acted, document) == [*before, 2, 3]


def test_a_long_scan_lets_others_have_their_turn(acted: Pipeline, workspace: UUID) -> None:
    hasty = replace(acted, limits=replace(acted.limits, turn_seconds=0.0))
    document = add(hasty, workspace, "oono")
    run_to_the_end(hasty)
    found = look(hasty, document)
    assert (found["state"], found["sources"], found["chunks"]) == ("normal", "oooo", 4)
    assert tried(hasty, document) == [1, 2, 3, 4]
    with hasty.db.transaction() as conn:
        jobs = conn.execute(
            "SELECT pool FROM job_history WHERE pool <> 'embed' ORDER BY finished_at"
        ).fetchall()
    assert [row["pool"] for row in jobs] == ["fetch", *["ocr"] * 4, "classify"]


def test_a_page_that_fails_does_not_make_a_scan_go_round_for_ever(acted: Pipeline, workspace: UUID) -> None:
    hasty = replace(acted, limits=replace(acted.limits, turn_seconds=0.0))
    document = add(hasty, workspace, "ocoo")
    run_to_the_end(hasty)
    assert look(hasty, document)["sources"] == "osoo"
    assert tried(hasty, document) == [1, 2, 3, 4, 2, 2]


def test_a_damaged_page_is_noted_and_not_tried_again(acted: Pipeline, workspace: UUID) -> None:
    document = add(acted, workspace, "odn")
    run_to_the_end(acted)
    found = look(acted, document)
    assert (found["state"], found["sources"]) == ("normal", "ooo")
    assert found["notes"] == [
        "Page 2 could not be read: The page is damaged.",
        "Only half of it is there.",
    ]
    assert tried(acted, document) == [1, 2, 3]


def test_when_no_page_can_be_read_the_document_fails(acted: Pipeline, workspace: UUID) -> None:
    document = add(acted, workspace, "dd")
    run_to_the_end(acted)
    found = look(acted, document)
    assert (found["status"], found["reason_category"]) == ("failed", "corrupt")


def test_without_an_engine_a_scan_completes_and_a_retry_reads_it_later(
    acted: Pipeline, workspace: UUID
) -> None:
    document = add(acted, workspace, "mo")
    run_to_the_end(acted)
    found = look(acted, document)
    assert (found["state"], found["reason_category"]) == ("incomplete", "not_installed")
    assert (found["reason"], found["sources"]) == ("Nothing here can read it.", "ss")
    assert tried(acted, document) == [1]
    with acted.db.transaction() as conn:
        conn.execute("UPDATE documents SET name = 'oo' WHERE id = %s", (document,))
        assert retry_document(conn, document) is not None
    run_to_the_end(acted)
    found = look(acted, document)
    assert (found["state"], found["sources"], found["chunks"]) == ("normal", "oo", 2)


def test_a_rerun_of_a_finished_scan_does_nothing(acted: Pipeline, workspace: UUID) -> None:
    document = add(acted, workspace, "oo")
    run_to_the_end(acted)
    before = look(acted, document)
    with acted.db.transaction() as conn:
        assert retry_document(conn, document) is None
        assert conn.execute("SELECT requeue_document(%s, 'again') AS done", (document,)).fetchone() == {
            "done": False
        }
    run_to_the_end(acted)
    assert look(acted, document) == before
    assert tried(acted, document) == [1, 2]


def test_a_picture_is_read_and_found_with_its_words_in_place(pipeline: Pipeline, workspace: UUID) -> None:
    document = add(pipeline, workspace, "slip.png", stored(drawn()))
    run_to_the_end(pipeline)
    found = look(pipeline, document)
    assert (found["state"], found["sources"], found["page_count"]) == ("normal", "o", 1)
    with pipeline.db.transaction() as conn:
        page = conn.execute("SELECT * FROM pages").fetchone() or {}
    assert "harbour" in page["text"]
    assert len(page["confidences"]) * 24 == len(page["words"]) > 0
    assert (page["width"], page["height"]) == (900, 500)
