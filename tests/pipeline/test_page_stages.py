"""A stage that runs page by page: what one page does never loses the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st

from docyard.errors import Failure, Reject, Retry
from docyard.model.failures import category
from docyard.model.limits import Limits
from docyard.model.stages import StageResult
from docyard.model.text.pages import OCR, SCAN, TEXT, Page
from docyard.model.values import Chunked, Classified, Extracted, PageRead, Reading
from docyard.pipeline.children import ChildPool
from docyard.pipeline.direct import Watcher, process_file
from docyard.pipeline.page_stages import read_pages
from docyard.pipeline.road import degradation, next_stage
from docyard.stages import stage
from tests.making.pdf.pdfs import text_pdf
from tests.making.pictures import drawn, pages_tiff, stored
from tests.pipeline.travelling import AFTER_READING

EXTRACTED = StageResult("extract", stage("extract").version, "done", {"scans": 2, "textless": True})
FETCHED = StageResult("fetch", stage("fetch").version)
FAILURES: dict[str, Failure] = {
    "damaged": Reject("corrupt", "The page is damaged."),
    "crash": Retry("crash", "The reader crashed."),
    "hang": Retry("timeout", "Too long."),
}


def reading(pages: list[Page], trouble: dict[int, str]) -> tuple[Reading | Failure, dict[int, PageRead]]:
    """What comes of these pages, some of which are in trouble, and which of them were kept."""
    kept: dict[int, PageRead] = {}

    def read(page: Page) -> PageRead:
        if page.number in trouble:
            raise FAILURES[trouble[page.number]]
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
def test_every_scan_is_tried_and_nothing_else_is_touched(sources: list[str], trouble: dict[int, str]) -> None:
    pages = [Page(number, "had" if s == TEXT else "", source=s) for number, s in enumerate(sources, start=1)]
    found, kept = reading(pages, trouble)
    waiting = {page.number for page in pages if page.source == SCAN}
    curable = {number for number in waiting if category_of(trouble, number) == "curable"}
    assert set(kept) == waiting - curable
    assert all(read.page.source != SCAN for read in kept.values())
    if curable:
        assert isinstance(found, Retry)
    if not waiting & set(trouble):
        assert found == Reading(len(waiting), textless=not waiting and TEXT not in sources)
    # A second run has only those left that another try may read, and then nothing at all.
    after = [kept[page.number].page if page.number in kept else page for page in pages]
    again, kept_again = reading(after, {})
    assert set(kept_again) == curable
    assert isinstance(again, Reading)


def category_of(trouble: dict[int, str], number: int) -> str | None:
    if number not in trouble:
        return None
    return "curable" if category(FAILURES[trouble[number]].category).retry else "hopeless"


def test_a_page_no_try_will_read_becomes_a_note() -> None:
    found, kept = reading(scans(3), {2: "damaged"})
    assert found == Reading(2, textless=False)
    assert kept[2].note == "Page 2 could not be read: The page is damaged."
    assert (kept[2].page.text, kept[2].page.source) == ("", OCR)


def test_when_no_page_can_be_read_the_file_is_what_is_wrong() -> None:
    found, _ = reading(scans(2), {1: "damaged", 2: "damaged"})
    assert isinstance(found, Reject)
    assert (found.category, found.message) == ("corrupt", "The page is damaged.")
    beside_text = [*scans(1), Page(2, "words")]
    assert isinstance(reading(beside_text, {1: "damaged"})[0], Reading)


def test_a_page_that_may_be_read_yet_counts_more_than_one_that_may_not() -> None:
    found, _ = reading(scans(2), {1: "damaged", 2: "crash"})
    assert isinstance(found, Retry)
    assert found.category == "crash"


def test_the_reason_names_the_page() -> None:
    found, _ = reading(scans(4), {2: "hang", 3: "crash"})
    assert isinstance(found, Retry)
    assert found.message == "Page 2 (and 1 more) could not be read: Too long."


def test_what_stops_every_page_stops_at_the_first() -> None:
    tried = []

    def read(page: Page) -> PageRead:
        tried.append(page.number)
        raise Reject("not_installed", "Nothing here can read it.")

    with pytest.raises(Reject, match="Nothing here"):
        read_pages(scans(3), read, lambda _: None)
    assert tried == [1]


def test_the_road_passes_ocr_by_without_scans() -> None:
    text = StageResult("extract", stage("extract").version, "done", {"pages": 1})
    assert next_stage([FETCHED, text]) is stage("classify")
    assert next_stage([FETCHED, EXTRACTED]) is stage("ocr")
    degraded = StageResult("ocr", 1, "degraded", {"category": "not_installed", "message": "No engine."})
    assert next_stage([FETCHED, EXTRACTED, degraded]) is stage("classify")
    assert degradation([FETCHED, EXTRACTED, degraded]) == ("not_installed", "No engine.")


def test_text_that_ocr_found_counts() -> None:
    read = StageResult("ocr", stage("ocr").version, "done", {"textless": False})
    assert degradation([FETCHED, EXTRACTED, read]) == (None, None)
    nothing = StageResult("ocr", stage("ocr").version, "done", {"textless": True})
    assert degradation([FETCHED, EXTRACTED, nothing]) == ("no_text", "No text was found in it.")


def test_pictures_are_read_without_a_database(tmp_path: Path) -> None:
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
    """Notes which stages began."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def stage(self, name: str) -> None:
        self.seen.append(name)


def test_text_needs_no_reading(tmp_path: Path) -> None:
    path = tmp_path / "letter.pdf"
    path.write_bytes(text_pdf(["A letter that has its own text."]))
    stages = Stages()
    with ChildPool(1, Limits()) as children:
        process_file(children, Limits(), path, stages)
    assert stages.seen == ["fetch", "extract", *AFTER_READING]


def test_a_photograph_without_text_says_so(tmp_path: Path) -> None:
    path = tmp_path / "sky.png"
    path.write_bytes(stored(drawn([])))
    with ChildPool(1, Limits()) as children:
        done = process_file(children, Limits(), path)
    assert done.failure is not None
    assert (done.failure.category, done.failed) == ("no_text", False)
    assert Reading(1, textless=True) in done.values
