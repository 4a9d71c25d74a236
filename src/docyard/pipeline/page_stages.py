"""Stages that run separately for each page, with a time limit per page; each page is saved when it is read.

A page that cannot be read fails the attempt, but only after all pages were attempted. The pages that were read
are kept, and a retry reads only the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from docyard.errors import Failure, Reject, Retry
from docyard.model.failures import get_category
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import ExtractedText, OcrPage, OcrProgress
from docyard.model.stages import Stage, StageInput
from docyard.model.text.pages import SCAN, Page
from docyard.pipeline.children import ChildPool
from docyard.pipeline.children.tasks import run_stage

# Failures that affect every page: the lease was lost, the worker is stopping, or OCR is not installed.
_GENERAL_FAILURES = ("worker_lost", "not_installed")

_MAX_RUNS = 10  # runs of consecutive pages that a message lists

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

    Raises Retry if a retry may read one of the failed pages, and Reject if it cannot.
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
            continue
        textless = textless and not value.page.text.strip()
        keep(value)
        left = len(scans) - count
        if left and not failures and turn_is_over():
            return OcrProgress(count, textless, left)
    if failures:
        raise _join_failures(failures)
    return OcrProgress(len(scans), textless)


def _join_failures(failures: dict[int, Failure]) -> Failure:
    """Return one failure: Retry if a page can be retried, with the reason of that page first."""
    by_reason: dict[tuple[str, str], list[int]] = {}
    for number, failure in failures.items():
        by_reason.setdefault((failure.category, failure.message), []).append(number)
    first, *others = sorted(by_reason, key=lambda reason: not get_category(reason[0]).retry)
    kind = Retry if get_category(first[0]).retry else Reject
    return kind(first[0], " ".join([first[1], *(f"{_list_pages(by_reason[each])}: {each[1]}" for each in others)]))


def name_unread_pages(failure: Failure, numbers: Iterable[int]) -> Failure:
    """Return the failure with a message that begins with the pages that were not read."""
    unread = list(numbers)
    if not unread or not isinstance(failure, (Retry, Reject)):
        return failure
    return type(failure)(failure.category, f"{_list_pages(unread)} could not be read: {failure.message}")


def _list_pages(numbers: Sequence[int]) -> str:
    """Return a phrase such as "Pages 2–4 and 7"; long lists are cut."""
    # Consecutive numbers have the same difference to their position.
    runs = [[number for _, number in run] for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    parts = [f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs[:_MAX_RUNS]]
    left = sum(len(run) for run in runs[_MAX_RUNS:])
    last = f"{left:,} more" if left else parts.pop()
    listed = f"{', '.join(parts)} and {last}" if parts else last
    return f"Page{'s' if len(numbers) > 1 else ''} {listed}"
