"""Stages that run per page: a failure of one page does not affect the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st

from docyard.errors import Failure, Reject, Retry
from docyard.model.failures import category
from docyard.model.limits import Limits
from docyard.model.stage_values import Chunked, Classified, Extracted, PageRead, Reading
from docyard.model.stages import StageResult
from docyard.model.text.pages import OCR, SCAN, TEXT, Page
from docyard.pipeline.children import ChildPool
from docyard.pipeline.direct import Watcher, process_file
from docyard.pipeline.page_stages import read_pages
from docyard.pipeline.stage_order import degradation, next_stage
from docyard.stages import stage
from tests.builders.images import drawn, pages_tiff, stored
from tests.builders.pdf.pdfs import text_pdf
from tests.pipeline.stage_runs import AFTER_READING

EXTRACTED = StageResult("extract", stage("extract").version, "done", {"scans": 2, "textless": True})
FETCHED = StageResult("fetch", stage("fetch").version)
FAILURES: dict[str, Failure] = {
    "damaged": Reject("corrupt", "The page is damaged."),
    "crash": Retry("crash", "The reader crashed."),
    "hang": Retry("timeout", "Too long."),
}


def read_with_failures(
    pages: list[Page], failing: dict[int, str]
) -> tuple[Reading | Failure, dict[int, PageRead]]:
    """Read pages of which some fail; return the result or failure, and the saved pages."""
    kept: dict[int, PageRead] = {}

    def read(page: Page) -> PageRead:
        if page.number in failing:
            raise FAILURES[failing[page.number]]
        return PageRead(Page(page.number, "words", source=OCR))

    try:
        return read_pages(pages, read, lambda one: kept.update({one.page.number: one})), kept
    except Failure as failure:
        return failure, kept


def scans(count: int) -> list[Page]:
    return [Page(number, "", source=SCAN) for number in range(1, count + 1)]


@given_any(
    st.lists(st.sampled_from([SCAN, TEXT, OCR]), min_size=1, max_size=8),
    st.dictionaries(st.integers(1, 8), st.sampled_from(sorted(FAILURES))),
)
def test_reads_every_scan_and_no_other_page(sources: list[str], failing: dict[int, str]) -> None:
    pages = [Page(number, "had" if s == TEXT else "", source=s) for number, s in enumerate(sources, start=1)]
    found, kept = read_with_failures(pages, failing)
    waiting = {page.number for page in pages if page.source == SCAN}
    retryable = {number for number in waiting if get_kind(failing, number) == "retryable"}
    assert set(kept) == waiting - retryable
    assert all(read.page.source != SCAN for read in kept.values())
    if retryable:
        assert isinstance(found, Retry)
    if not waiting & set(failing):
        assert found == Reading(len(waiting), textless=not waiting and TEXT not in sources)
    # A second run reads only the pages that failed with a retryable category.
    after = [kept[page.number].page if page.number in kept else page for page in pages]
    again, kept_again = read_with_failures(after, {})
    assert set(kept_again) == retryable
    assert isinstance(again, Reading)


def get_kind(failing: dict[int, str], number: int) -> str | None:
    if number not in failing:
        return None
    return "retryable" if category(FAILURES[failing[number]].category).retry else "final"


def test_notes_a_page_that_can_never_be_read() -> None:
    found, kept = read_with_failures(scans(3), {2: "damaged"})
    assert found == Reading(2, textless=False)
    assert kept[2].note == "Page 2 could not be read: The page is damaged."
    assert (kept[2].page.text, kept[2].page.source) == ("", OCR)


def test_rejects_the_file_if_no_page_can_be_read() -> None:
    found, _ = read_with_failures(scans(2), {1: "damaged", 2: "damaged"})
    assert isinstance(found, Reject)
    assert (found.category, found.message) == ("corrupt", "The page is damaged.")
    with_text_page = [*scans(1), Page(2, "words")]
    assert isinstance(read_with_failures(with_text_page, {1: "damaged"})[0], Reading)


def test_a_retryable_failure_takes_precedence() -> None:
    found, _ = read_with_failures(scans(2), {1: "damaged", 2: "crash"})
    assert isinstance(found, Retry)
    assert found.category == "crash"


def test_the_reason_names_the_page() -> None:
    found, _ = read_with_failures(scans(4), {2: "hang", 3: "crash"})
    assert isinstance(found, Retry)
    assert found.message == "Page 2 (and 1 more) could not be read: Too long."


def test_a_general_failure_stops_at_the_first_page() -> None:
    attempted = []

    def read(page: Page) -> PageRead:
        attempted.append(page.number)
        raise Reject("not_installed", "Nothing here can read it.")

    with pytest.raises(Reject, match="Nothing here"):
        read_pages(scans(3), read, lambda _: None)
    assert attempted == [1]


def test_skips_ocr_without_scans() -> None:
    text = StageResult("extract", stage("extract").version, "done", {"pages": 1})
    assert next_stage([FETCHED, text]) is stage("classify")
    assert next_stage([FETCHED, EXTRACTED]) is stage("ocr")
    degraded = StageResult("ocr", 1, "degraded", {"category": "not_installed", "message": "No engine."})
    assert next_stage([FETCHED, EXTRACTED, degraded]) is stage("classify")
    assert degradation([FETCHED, EXTRACTED, degraded]) == ("not_installed", "No engine.")


def test_a_document_with_ocr_text_is_not_textless() -> None:
    read = StageResult("ocr", stage("ocr").version, "done", {"textless": False})
    assert degradation([FETCHED, EXTRACTED, read]) == (None, None)
    nothing = StageResult("ocr", stage("ocr").version, "done", {"textless": True})
    assert degradation([FETCHED, EXTRACTED, nothing]) == ("no_text", "No text was found in it.")


def test_direct_mode_reads_images(tmp_path: Path) -> None:
    path = tmp_path / "book.tiff"
    path.write_bytes(pages_tiff(drawn(["The first page"]), drawn(["The second page"])))
    with ChildPool(1, Limits()) as children:
        done = process_file(children, Limits(), path)
    assert done.failure is None
    kinds = {type(value): value for value in done.values}
    extracted, chunked = kinds[Extracted], kinds[Chunked]
    assert isinstance(extracted, Extracted)
    assert isinstance(chunked, Chunked)
    assert [(page.source, "page" in page.text) for page in extracted.pages] == [(OCR, True)] * 2
    assert len(chunked.chunks) == 2
    assert kinds[Reading] == Reading(2, textless=False)
    assert kinds[Classified] is not None


class Stages(Watcher):
    """A watcher that records which stages started."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def stage(self, name: str) -> None:
        self.seen.append(name)


def test_direct_mode_skips_ocr_for_text(tmp_path: Path) -> None:
    path = tmp_path / "letter.pdf"
    path.write_bytes(text_pdf(["A letter that has its own text."]))
    stages = Stages()
    with ChildPool(1, Limits()) as children:
        process_file(children, Limits(), path, stages)
    assert stages.seen == ["fetch", "extract", *AFTER_READING]


def test_direct_mode_reports_an_image_without_text(tmp_path: Path) -> None:
    path = tmp_path / "sky.png"
    path.write_bytes(stored(drawn([])))
    with ChildPool(1, Limits()) as children:
        done = process_file(children, Limits(), path)
    assert done.failure is not None
    assert (done.failure.category, done.failed) == ("no_text", False)
    assert Reading(1, textless=True) in done.values
