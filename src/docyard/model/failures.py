"""Categories of failure: whether to try again, after how long, and how the document ends if it cannot."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Ending(StrEnum):
    """How a document ends when a stage has failed for the last time."""

    FAILED = "failed"  # the file itself cannot be read: red, with the reason
    DEGRADED = "degraded"  # the file is sound, we were not able: completed with what there is, amber
    NOTED = "noted"  # nothing to be done with this type: completed, with a note


@dataclass(frozen=True, slots=True)
class Category:
    """One kind of failure and its consequences."""

    name: str
    retry: bool
    delay: float
    ending: Ending
    meaning: str
    systemic: bool = False  # it concerns whatever its pool needs, so a breaker counts it
    charged: bool = True  # its retry counts against the workspace's budget


CATEGORIES: dict[str, Category] = {
    category.name: category
    for category in (
        Category("ai_content_blocked", False, 0, Ending.DEGRADED, "The AI provider refused the content."),
        Category("ai_unauthorized", False, 0, Ending.DEGRADED, "The AI provider refused the key."),
        Category("ai_refused", False, 0, Ending.DEGRADED, "The AI provider refused the request."),
        Category("ai_answer", True, 5, Ending.DEGRADED, "The AI provider's answer could not be used."),
        Category(
            "ai_quota",
            True,
            60,
            Ending.DEGRADED,
            "The AI provider's quota is used up or it is overloaded.",
            systemic=True,
        ),
        Category("rate_limit", True, 30, Ending.DEGRADED, "Too many requests at once.", systemic=True),
        Category("timeout", True, 5, Ending.DEGRADED, "The work took longer than allowed."),
        Category("network", True, 5, Ending.DEGRADED, "A connection failed.", systemic=True),
        Category("database", True, 5, Ending.DEGRADED, "The database could not be reached.", charged=False),
        Category("validation", False, 0, Ending.FAILED, "The input is not valid."),
        Category(
            "unsupported_file_type", False, 0, Ending.NOTED, "This type of file is stored but not read."
        ),
        Category("no_text", False, 0, Ending.NOTED, "No text was found in it, nor in pictures of its pages."),
        Category("not_installed", False, 0, Ending.DEGRADED, "What would read this is not installed here."),
        Category("not_found", False, 0, Ending.FAILED, "The file is not where it should be."),
        Category("unauthorized", False, 0, Ending.FAILED, "Access to the file was refused."),
        Category("empty", False, 0, Ending.FAILED, "The file is empty."),
        Category("corrupt", False, 0, Ending.FAILED, "The file is damaged and cannot be read."),
        Category("encrypted", False, 0, Ending.FAILED, "The file needs a password."),
        Category("crash", True, 5, Ending.DEGRADED, "The reader of this file crashed."),
        Category(
            "out_of_memory", True, 5, Ending.DEGRADED, "Reading this file took more memory than allowed."
        ),
        Category(
            "worker_lost",
            True,
            0,
            Ending.DEGRADED,
            "The worker stopped while it held the job.",
            charged=False,
        ),
        Category("internal", True, 5, Ending.DEGRADED, "An unexpected error in Docyard."),
        Category("outside", True, 5, Ending.FAILED, "An outside processor reported a failure."),
        Category("unknown_type", False, 0, Ending.DEGRADED, "No handler is registered for this type of job."),
    )
}
BACKOFF_FACTOR = 2.0
LONGEST_DELAY = 3600.0


def category(name: str) -> Category:
    """The category of that name; an unknown name counts as an internal error."""
    return CATEGORIES.get(name, CATEGORIES["internal"])


def retry_delay(name: str, attempt: int, jitter: float) -> float:
    """Seconds before the next try: the category's delay, doubled per attempt, spread by jitter in 0..1."""
    base = category(name).delay * BACKOFF_FACTOR ** max(0, attempt - 1)
    return min(base * (1 + 0.25 * jitter), LONGEST_DELAY)
