"""A test that pages of a scan are not read again after their worker was killed."""

from __future__ import annotations

import signal

import pytest

from tests.builders.images import draw_lines, encode_tiff
from tests.chaos.installation import ChaosInstallation, wait_for

pytestmark = pytest.mark.chaos
PAGES = 8
LINES = [f"Line {line} of the harbour book tells of boats and tides" for line in range(14)]


def test_pages_read_before_a_kill_are_not_read_again(scene: ChaosInstallation) -> None:
    book = encode_tiff(*(draw_lines([f"Sheet {page}", *LINES], (1000, 950)) for page in range(PAGES)))
    document = scene.add("book.tiff", book)
    first = scene.start_worker()
    wait_for(lambda: len(_list_read_pages(scene)) >= 2, "two pages to be read")
    first.send_signal(signal.SIGKILL)
    first.wait()
    before = _list_read_pages(scene)
    assert 2 <= len(before) < PAGES
    scene.start_worker()
    scene.wait_all_ended()
    ended = scene.fetch_row("SELECT status, reason FROM documents WHERE id = %(id)s", id=document)
    assert ended == {"status": "completed", "reason": None}
    after = _list_read_pages(scene)
    assert len(after) == PAGES
    # A row that was written again would have the xmin of a later transaction.
    assert {number: after[number] for number in before} == before
    results = scene.fetch_row("SELECT count(*) AS n FROM stage_results WHERE stage = 'ocr'")
    assert results == {"n": 1}


def _list_read_pages(scene: ChaosInstallation) -> dict[int, str]:
    """Return the pages read so far, each with the transaction that wrote it."""
    with scene.db.transaction() as conn:
        rows = conn.execute("SELECT number, xmin::text AS written FROM pages WHERE source = 'ocr'").fetchall()
    return {row["number"]: row["written"] for row in rows}
