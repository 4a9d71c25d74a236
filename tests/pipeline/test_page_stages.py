"""Stages that run per page: a failure of one page does not affect the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st

from docyard.errors import Failure, Reject, Retry, Wait
from docyard.model.failures import get_category
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import Classification, DocumentChunks, ExtractedText, OcrPage, OcrProgress
from docyard.model.stages import Stage, StageResult
from docyard.model.text.pages import OCR, SCAN, TEXT, Page
from docyard.pipeline import direct, page_stages
from docyard.pipeline.children import ChildPool
from docyard.pipeline.direct import ProgressListener, process_file
from docyard.pipeline.page_stages import name_unread_pages, read_pages
from docyard.pipeline.stage_order import choose_next_stage, find_degradation
from docyard.stages import get_stage
from tests.builders import scripted_pages
from tests.builders.images import draw_lines, encode_image, encode_tiff
from tests.builders.pdf.pdfs import make_text_pdf
from tests.pipeline.stage_runs import STAGES_AFTER_EXTRACT, VALUES

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
    unread = waiting & set(failing)
    assert set(kept) == waiting - unread
    assert all(read.page.source != SCAN for read in kept.values())
    if unread:
        retryable = any(get_category(FAILURES[failing[number]].category).retry for number in unread)
        assert isinstance(found, Retry if retryable else Reject)
    else:
        assert found == OcrProgress(len(waiting), textless=not waiting and TEXT not in sources)
    # A second run reads only the pages that failed.
    after = [kept[page.number].page if page.number in kept else page for page in pages]
    again, kept_again = read_with_failures(after, {})
    assert set(kept_again) == unread
    assert isinstance(again, OcrProgress)


def test_a_damaged_page_is_not_retried() -> None:
    found, kept = read_with_failures(scans(3), {2: "damaged"})
    assert isinstance(found, Reject)
    assert (found.category, found.message, set(kept)) == ("corrupt", "The page is damaged.", {1, 3})


def test_a_retryable_failure_takes_precedence() -> None:
    found, _ = read_with_failures(scans(2), {1: "damaged", 2: "crash"})
    assert isinstance(found, Retry)
    assert found.category == "crash"


def test_the_reason_names_the_pages() -> None:
    found, kept = read_with_failures(scans(6), {2: "hang", 3: "damaged", 4: "damaged", 6: "crash"})
    assert isinstance(found, Retry)
    named = name_unread_pages(found, sorted(set(range(1, 7)) - set(kept)))
    assert isinstance(named, Retry)
    assert named.message == (
        "Pages 2–4 and 6 could not be read: Too long. Page 6: The reader crashed. Pages 3–4: The page is damaged."
    )


def test_names_a_limited_number_of_pages() -> None:
    named = name_unread_pages(Reject("corrupt", "Damaged."), range(1, 100, 2))
    assert isinstance(named, Reject)
    assert named.message == "Pages 1, 3, 5, 7, 9, 11, 13, 15, 17, 19 and 40 more could not be read: Damaged."
    wait = Wait("rate_limit", "Later.")
    assert name_unread_pages(wait, [1]) is wait


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


@pytest.mark.parametrize(
    ("failing", "ended_by"),
    [
        ({"classify": Retry("crash", "It crashed."), "chunk": Reject("timeout", "Too long.")}, "timeout"),
        ({"classify": Retry("crash", "It crashed."), "fields": Reject("timeout", "Too long.")}, None),
        ({"extract": Retry("out_of_memory", "Too big.")}, "out_of_memory"),
        ({"extract": Reject("unsupported_file_type", "A film.")}, None),
    ],
)
def test_direct_mode_ends_like_the_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: dict[str, Failure], ended_by: str | None
) -> None:
    def run_or_fail(*arguments: object, **_: object) -> tuple[StageValue, float]:
        stage = next(each for each in arguments if isinstance(each, Stage))
        if stage.name in failing:
            raise failing[stage.name]
        return VALUES[stage.name], 0.0

    monkeypatch.setattr(direct, "run_stage_once", run_or_fail)
    with ChildPool(1, Limits()) as children:
        done = process_file(children, Limits(), tmp_path / "a.txt")
    first = next(iter(failing.values()))
    assert done.failure is not None
    assert (done.failed, done.failure.category) == (ended_by is not None, ended_by or first.category)


def test_direct_mode_names_the_pages_that_were_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_stages, "run_stage", scripted_pages.read_or_fail)
    results = []
    with ChildPool(1, Limits()) as children:
        for name in ("odo", "ddd"):
            path = tmp_path / name
            path.write_bytes(encode_tiff(*(draw_lines([each], (200, 100)) for each in name)))
            results.append(process_file(children, Limits(), path))
    some, none = results
    assert (str(some.failure), some.failed) == ("Page 2 could not be read: The page is damaged.", False)
    assert (str(none.failure), none.failed) == ("Pages 1–3 could not be read: The page is damaged.", True)


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
