"""Failure categories: whether to retry, after what delay, and whether the document ends with a note."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Category:
    """A failure category and its consequences."""

    name: str
    retry: bool
    delay: float
    meaning: str
    noted: bool = False  # the document is completed with a note: its file type is not read, or it has no text
    systemic: bool = False  # affects all jobs of the pool, so the circuit breaker counts it
    charged: bool = True  # its retries count against the workspace's retry budget


LOCKED = "locked"
CATEGORIES: dict[str, Category] = {
    category.name: category
    for category in (
        Category("ai_content_blocked", False, 0, "The AI provider rejected the content of the document."),
        Category("ai_unauthorized", False, 0, "The AI provider rejected the API key."),
        Category("ai_refused", False, 0, "The AI provider rejected the request."),
        Category("ai_answer", True, 5, "The AI provider's answer was not usable."),
        Category(
            "ai_quota",
            True,
            60,
            "The AI provider's quota is used up, or the provider is overloaded.",
            systemic=True,
        ),
        Category("rate_limit", True, 30, "A rate limit was reached.", systemic=True),
        Category("timeout", True, 5, "Processing took longer than allowed."),
        Category("network", True, 5, "A network connection failed.", systemic=True),
        Category("database", True, 5, "The database could not be reached.", charged=False),
        Category(LOCKED, True, 5, "Another transaction locked the document for a while.", charged=False),
        Category(
            "storage",
            True,
            5,
            "The file store is not available, or a disk is full.",
            systemic=True,
            charged=False,
        ),
        Category("validation", False, 0, "The input is not valid."),
        Category(
            "unsupported_file_type",
            False,
            0,
            "This type of file is stored, but its content is not read.",
            noted=True,
        ),
        Category(
            "no_text",
            False,
            0,
            "No text was found in the file, and OCR found none in its page images.",
            noted=True,
        ),
        Category(
            "not_installed",
            False,
            0,
            "The worker lacks a program or setting that this document needs.",
        ),
        Category("not_found", False, 0, "The file or document was not found."),
        Category("unauthorized", False, 0, "Access to the file was denied."),
        Category("empty", False, 0, "The file is empty."),
        Category("corrupt", False, 0, "The file or a part of it is damaged and cannot be read."),
        Category("encrypted", False, 0, "The file is protected by a password."),
        Category("crash", True, 5, "The process that read this file crashed."),
        Category("out_of_memory", True, 5, "Reading this file took more memory than allowed."),
        Category(
            "worker_lost",
            True,
            0,
            "The worker stopped or lost contact while it ran the job.",
            charged=False,
        ),
        Category("internal", True, 5, "An unexpected error occurred in Docyard."),
        Category("outside", True, 5, "An outside processor reported a failure."),
        Category("unknown_type", False, 0, "No handler is registered for this type of job."),
    )
}
BACKOFF_FACTOR = 2.0
MAX_DELAY = 3600.0


def get_category(name: str) -> Category:
    """Return the category with this name, or `internal` if the name is unknown."""
    return CATEGORIES.get(name, CATEGORIES["internal"])


def retry_delay(name: str, attempt: int, jitter: float) -> float:
    """Return the backoff: the category's delay, doubled per attempt, plus jitter, up to MAX_DELAY seconds."""
    base = get_category(name).delay * BACKOFF_FACTOR ** max(0, attempt - 1)
    return min(base * (1 + 0.25 * jitter), MAX_DELAY)
