"""Stages that run per page: a failure of one page does not affect the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st

from docyard.errors import Failure, Reject, Retry
from docyard.model.failures import get_category
from docyard.model.limits import Limits
from docyard.model.stage_values import Classification, DocumentChunks, ExtractedText, OcrPage, OcrProgress
from docyard.model.stages import StageResult
from docyard.model.text.pages import OCR, SCAN, TEXT, Page
from docyard.pipeline.children import ChildPool
from docyard.pipeline.direct import ProgressListener, process_file
from docyard.pipeline.page_stages import read_pages
from docyard.pipeline.stage_order import choose_next_stage, find_degradation
from docyard.stages import get_stage
from tests.builders.images import draw_lines, encode_image, encode_tiff
from tests.builders.pdf.pdfs import make_text_pdf
from tests.pipeline.stage_runs import STAGES_AFTER_EXTRACT

EXTRACTED = StageResult("extract", get_stage("extract").version, "done", {"scans": 2, "textless": True})
FETCHED = StageResult("fetch", get_stage("fetch").version)
FAILURES: dict[str, Failure] = {
    "damaged": Reject("corrupt", "The page is damaged."),
    "crash": Retry("crash", "The reader crashed."),
    "hang": Retry("timeout", "Too long."),
}


def read_with_failures(pages: list[Page], failing: dict[int, str]) -> tuple[OcrProgress | Failure, dict[int, OcrPage]]:
    """Read pages, some of which fail; return the result or failure, and the saved pages."""
    kept: dict[int, OcrPage] = {}

    def read(page: Page) -> OcrPage:
        if page.number in failing:
            raise FAILURES[failing[page.number]]
        return OcrPage(Page(page.number, "words", source=OCR))

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
        assert found == OcrProgress(len(waiting), textless=not waiting and TEXT not in sources)
    # A second run reads only the pages that failed with a retryable category.
    after = [kept[page.number].page if page.number in kept else page for page in pages]
    again, kept_again = read_with_failures(after, {})
    assert set(kept_again) == retryable
    assert isinstance(again, OcrProgress)


def get_kind(failing: dict[int, str], number: int) -> str | None:
    if number not in failing:
        return None
    return "retryable" if get_category(FAILURES[failing[number]].category).retry else "final"


def test_notes_a_page_that_can_never_be_read() -> None:
    found, kept = read_with_failures(scans(3), {2: "damaged"})
    assert found == OcrProgress(2, textless=False)
    assert kept[2].note == "Page 2 could not be read: The page is damaged."
    assert (kept[2].page.text, kept[2].page.source) == ("", OCR)


def test_rejects_the_file_if_no_page_can_be_read() -> None:
    found, _ = read_with_failures(scans(2), {1: "damaged", 2: "damaged"})
    assert isinstance(found, Reject)
    assert (found.category, found.message) == ("corrupt", "The page is damaged.")
    with_text_page = [*scans(1), Page(2, "words")]
    assert isinstance(read_with_failures(with_text_page, {1: "damaged"})[0], OcrProgress)


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

    def read(page: Page) -> OcrPage:
        attempted.append(page.number)
        raise Reject("not_installed", "Nothing here can read it.")

    with pytest.raises(Reject, match="Nothing here"):
        read_pages(scans(3), read, lambda _: None)
    assert attempted == [1]


def test_skips_ocr_without_scans() -> None:
    text = StageResult("extract", get_stage("extract").version, "done", {"pages": 1})
    assert choose_next_stage([FETCHED, text]) is get_stage("classify")
    assert choose_next_stage([FETCHED, EXTRACTED]) is get_stage("ocr")
    degraded = StageResult("ocr", 1, "degraded", {"category": "not_installed", "message": "No engine."})
    assert choose_next_stage([FETCHED, EXTRACTED, degraded]) is get_stage("classify")
    assert find_degradation([FETCHED, EXTRACTED, degraded]) == ("not_installed", "No engine.")


def test_a_document_with_ocr_text_is_not_textless() -> None:
    read = StageResult("ocr", get_stage("ocr").version, "done", {"textless": False})
    assert find_degradation([FETCHED, EXTRACTED, read]) == (None, None)
    nothing = StageResult("ocr", get_stage("ocr").version, "done", {"textless": True})
    assert find_degradation([FETCHED, EXTRACTED, nothing]) == ("no_text", "No text was found in it.")


def test_direct_mode_reads_images(tmp_path: Path) -> None:
    path = tmp_path / "book.tiff"
    path.write_bytes(encode_tiff(draw_lines(["The first page"]), draw_lines(["The second page"])))
    with ChildPool(1, Limits()) as children:
        done = process_file(children, Limits(), path)
    assert done.failure is None
    kinds = {type(value): value for value in done.values}
    extracted, chunked = kinds[ExtractedText], kinds[DocumentChunks]
    assert isinstance(extracted, ExtractedText)
    assert isinstance(chunked, DocumentChunks)
    assert [(page.source, "page" in page.text) for page in extracted.pages] == [(OCR, True)] * 2
    assert len(chunked.chunks) == 2
    assert kinds[OcrProgress] == OcrProgress(2, textless=False)
    assert kinds[Classification] is not None


class Stages(ProgressListener):
    """A progress listener that records the stages that have started."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def stage(self, name: str) -> None:
        self.seen.append(name)


def test_direct_mode_skips_ocr_for_text(tmp_path: Path) -> None:
    path = tmp_path / "letter.pdf"
    path.write_bytes(make_text_pdf(["A letter that has its own text."]))
    stages = Stages()
    with ChildPool(1, Limits()) as children:
        process_file(children, Limits(), path, stages)
    assert stages.seen == ["fetch", "extract", *STAGES_AFTER_EXTRACT]


def test_direct_mode_reports_an_image_without_text(tmp_path: Path) -> None:
    path = tmp_path / "sky.png"
    path.write_bytes(encode_image(draw_lines([])))
    with ChildPool(1, Limits()) as children:
        done = process_file(children, Limits(), path)
    assert done.failure is not None
    assert (done.failure.category, done.failed) == ("no_text", False)
    assert OcrProgress(1, textless=True) in done.values
