"""Stages that run page by page: each page in its own time, kept as soon as it is read.

A page that cannot be read does not lose the others. One that another try might read fails the attempt after
all have been tried, so that the next attempt has only those left to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from docyard.errors import Failure, Reject, Retry
from docyard.model.failures import Ending, category
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue
from docyard.model.stages import Given, Stage
from docyard.model.text.pages import OCR, SCAN, TEXT, Page
from docyard.model.values import Extracted, PageRead, Reading
from docyard.pipeline.children import ChildPool
from docyard.pipeline.children.tasks import run_stage

# Nothing that a page could help: the worker is going, or no page could be read here at all.
_NOT_OF_THE_PAGE = ("worker_lost", "not_installed")

ReadPage = Callable[[Page], PageRead]
Keep = Callable[[PageRead], None]


def page_reader(
    children: ChildPool, limits: Limits, stage: Stage, values: Iterable[StageValue], *, key: object
) -> ReadPage:
    """A function that runs the stage on one page, confined."""
    needed = [value for value in values if type(value) in stage.needs and not isinstance(value, Extracted)]

    def read(page: Page) -> PageRead:
        given = Given([*needed, page], limits)
        value = children.call(run_stage, stage.name, given, seconds=limits.page_seconds, key=key)
        if not isinstance(value, PageRead) or value.page.number != page.number:
            raise Retry("internal", f"The reader gave an unusable answer for page {page.number}.")
        return value

    return read


def read_pages(
    pages: Iterable[Page], read: ReadPage, keep: Keep, turn_is_over: Callable[[], bool] = lambda: False
) -> Reading:
    """Read and keep every page that is a scan; a Failure when that could not be done for all of them.

    When the turn is over before the last one, the others are left for the next turn. A turn in which a page
    failed goes on to the end: the next one would begin with that page again.
    """
    pages = list(pages)
    scans = [page for page in pages if page.source == SCAN]
    failures: dict[int, Failure] = {}
    textless = not any(page.text.strip() for page in pages if page.source != SCAN)
    for count, page in enumerate(scans, start=1):
        try:
            value = read(page)
        except Failure as failure:
            if failure.category in _NOT_OF_THE_PAGE:
                raise
            failures[page.number] = failure
            if category(failure.category).retry:
                continue
            value = _given_up(page, failure)
        textless = textless and not value.page.text.strip()
        keep(value)
        left = len(scans) - count
        if left and not failures and turn_is_over():
            return Reading(count, textless, left)
    _raise_for(failures, len(scans), textless=textless)
    return Reading(len(scans) - len(failures), textless)


def _given_up(page: Page, failure: Failure) -> PageRead:
    """A page that no try will read; whatever text it had stays."""
    kept = replace(page, source=TEXT if page.text.strip() else OCR)
    return PageRead(kept, f"Page {page.number} could not be read: {failure.message}")


def _raise_for(failures: dict[int, Failure], tried: int, *, textless: bool) -> None:
    """Say what another try may cure; only when nothing may, that the whole file is what is wrong."""
    more = f" (and {len(failures) - 1:,} more)" if len(failures) > 1 else ""
    for number, failure in failures.items():
        if category(failure.category).retry:
            raise Retry(failure.category, f"Page {number}{more} could not be read: {failure.message}")
    for failure in failures.values():
        if textless and len(failures) == tried and category(failure.category).ending is Ending.FAILED:
            raise Reject(failure.category, failure.message)
