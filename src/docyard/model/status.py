"""The display states of a document: one word, colour and action each, shared by pages, API and docs."""

from __future__ import annotations

from dataclasses import dataclass

from docyard.model.documents import Document


@dataclass(frozen=True, slots=True)
class DisplayState:
    """How a document looks to the person who waits for it."""

    name: str
    word: str
    colour: str
    action: str | None
    meaning: str
    cancel: str | None = None  # what stops the work, while there is any


WAITING = DisplayState("waiting", "Waiting", "grey", None, "In the queue; a worker will take it.", "Cancel")
PROCESSING = DisplayState("processing", "Processing", "blue", None, "A worker is on it.", "Cancel")
STALE = DisplayState(
    "stale", "Taking long", "amber", "Retry", "The attempt began over 10 minutes ago.", "Cancel"
)
NORMAL = DisplayState("normal", "Ready", "green", None, "Processed; it can be read and found.")
INCOMPLETE = DisplayState(
    "incomplete", "Ready, incomplete", "amber", "Retry processing", "Usable, but something could not be done."
)
NEEDS_CLASSIFICATION = DisplayState(
    "needs_classification",
    "Ready, untitled",
    "amber",
    "Retry classification",
    "Usable, but no title was found.",
)
UNCLASSIFIED = DisplayState(
    "unclassified",
    "Ready, unclassified",
    "amber",
    "Retry classification",
    "Usable, but the language model gave no answer; the reason is given.",
)
NOTED = DisplayState("noted", "Stored", "grey", None, "Kept and downloadable; this type is not read.")
NO_TEXT = DisplayState(
    "no_text",
    "Stored, no text",
    "grey",
    None,
    "No text was found in it, so it is only found by its name.",
)
FAILED = DisplayState(
    "failed", "Failed", "red", "Retry processing", "The file could not be read; the reason is given."
)
LOCKED = DisplayState(
    "locked", "Needs a password", "red", None, "The file is protected; trying again would change nothing."
)
CANCELLED = DisplayState("cancelled", "Cancelled", "grey", "Retry processing", "Stopped by a person.")

DISPLAY_STATES = (
    WAITING,
    PROCESSING,
    STALE,
    NORMAL,
    INCOMPLETE,
    NEEDS_CLASSIFICATION,
    UNCLASSIFIED,
    NOTED,
    NO_TEXT,
    FAILED,
    LOCKED,
    CANCELLED,
)
_STORED = {"unsupported_file_type": NOTED, "no_text": NO_TEXT}


def display_state(document: Document) -> DisplayState:
    """The one state in which this document is shown."""
    match document.status:
        case "pending":
            return WAITING
        case "processing":
            return STALE if document.stale else PROCESSING
        case "failed":
            return LOCKED if document.reason_category == "encrypted" else FAILED
        case "cancelled":
            return CANCELLED
        case _:
            return _completed(document)


def _completed(document: Document) -> DisplayState:
    if document.reason_category in _STORED:
        return _STORED[document.reason_category]
    if document.reason_category:
        return UNCLASSIFIED if document.left_out == "classify_ai" else INCOMPLETE
    return NORMAL if document.title else NEEDS_CLASSIFICATION
