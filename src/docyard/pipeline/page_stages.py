"""Stages that run separately for each page, with a time limit per page; each page is saved when it is read.

A page that can never be read gets a note, and the others are kept. A page that a retry might read fails the
attempt, but only after all pages were attempted; the retry then reads only the failed pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from docyard.errors import Failure, Reject, Retry
from docyard.model.failures import FinalState, get_category
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import ExtractedText, OcrPage, OcrProgress
from docyard.model.stages import Stage, StageInput
from docyard.model.text.pages import OCR, SCAN, TEXT, Page
from docyard.pipeline.children import ChildPool
from docyard.pipeline.children.tasks import run_stage

# Failures that affect every page: the lease was lost, the worker is stopping, or OCR is not installed.
_GENERAL_FAILURES = ("worker_lost", "not_installed")

ReadPage = Callable[[Page], OcrPage]
SavePage = Callable[[OcrPage], None]


def make_page_reader(
    children: ChildPool, limits: Limits, stage: Stage, values: Iterable[StageValue], *, key: object
) -> ReadPage:
    """Return a function that runs the stage on one page in a child."""
    needed = [value for value in values if type(value) in stage.inputs and not isinstance(value, ExtractedText)]

    def read(page: Page) -> OcrPage:
        inputs = StageInput([*needed, page], limits)
        value = children.call(run_stage, stage.name, inputs, seconds=limits.page_seconds, key=key)
        if not isinstance(value, OcrPage) or value.page.number != page.number:
            raise Retry("internal", f"The reader process sent an invalid reply for page {page.number}.")
        return value

    return read


def read_pages(
    pages: Iterable[Page], read: ReadPage, keep: SavePage, turn_is_over: Callable[[], bool] = lambda: False
) -> OcrProgress:
    """Read and save every scanned page, and return the progress.

    Raises Retry if a retry may read more pages, and Reject if every scan failed and no page has text.
    If `turn_is_over` returns True before the last page, the remaining pages are left to the next job. After a
    page has failed, the turn continues to the last page, because the next job would start with that page.
    """
    pages = list(pages)
    scans = [page for page in pages if page.source == SCAN]
    failures: dict[int, Failure] = {}
    textless = not any(page.text.strip() for page in pages if page.source != SCAN)
    for count, page in enumerate(scans, start=1):
        try:
            value = read(page)
        except Failure as failure:
            if failure.category in _GENERAL_FAILURES:
                raise
            failures[page.number] = failure
            if get_category(failure.category).retry:
                continue
            value = _keep_unread(page, failure)
        textless = textless and not value.page.text.strip()
        keep(value)
        left = len(scans) - count
        if left and not failures and turn_is_over():
            return OcrProgress(count, textless, left)
    _raise_for(failures, len(scans), textless=textless)
    return OcrProgress(len(scans) - len(failures), textless)


def _keep_unread(page: Page, failure: Failure) -> OcrPage:
    """Return the page with a note that it could not be read, no longer marked as a scan; its text is kept."""
    kept = replace(page, source=TEXT if page.text.strip() else OCR)
    return OcrPage(kept, f"Page {page.number} could not be read: {failure.message}")


def _raise_for(failures: dict[int, Failure], scan_count: int, *, textless: bool) -> None:
    """Raise Retry if a retry may read a page, or Reject if no page has text and every scan failed."""
    more = f" (and {len(failures) - 1:,} more)" if len(failures) > 1 else ""
    for number, failure in failures.items():
        if get_category(failure.category).retry:
            raise Retry(failure.category, f"Page {number}{more} could not be read: {failure.message}")
    for failure in failures.values():
        if textless and len(failures) == scan_count and get_category(failure.category).ending is FinalState.FAILED:
            raise Reject(failure.category, failure.message)
