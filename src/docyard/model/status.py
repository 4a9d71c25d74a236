"""The display states of documents: label, colour and action, shared by pages, API and docs."""

from __future__ import annotations

from dataclasses import dataclass

from docyard.model.documents import Document


@dataclass(frozen=True, slots=True)
class DisplayState:
    """The state of a document as users see it."""

    name: str
    word: str
    colour: str
    action: str | None
    meaning: str
    cancel: str | None = None  # label of the action that stops processing
    again: str | None = None  # label of the action that processes the document from the start


_AGAIN = "Process again"
WAITING = DisplayState("waiting", "Waiting", "grey", None, "In the queue; a worker will process it.", "Cancel")
PARKED = DisplayState(
    "parked",
    "Waiting for another program",
    "grey",
    None,
    "Docyard cannot fetch its file; another program processes it and reports the outcome.",
    "Cancel",
)
PROCESSING = DisplayState("processing", "Processing", "blue", None, "A worker is processing it.", "Cancel")
STALE = DisplayState(
    "stale", "Taking a long time", "amber", "Retry", "The current attempt started more than 10 minutes ago.", "Cancel"
)
NORMAL = DisplayState("normal", "Completed", "green", None, "Processed; it can be read and searched.", again=_AGAIN)
INCOMPLETE = DisplayState(
    "incomplete",
    "Incomplete",
    "amber",
    "Retry processing",
    "Usable, but part of the processing failed; the reason is shown.",
    again=_AGAIN,
)
NEEDS_CLASSIFICATION = DisplayState(
    "needs_classification", "Untitled", "amber", "Retry classification", "Usable, but no title was found.", again=_AGAIN
)
UNCLASSIFIED = DisplayState(
    "unclassified",
    "Unclassified",
    "amber",
    "Retry classification",
    "Usable, but the language model did not classify it; the reason is shown.",
    again=_AGAIN,
)
NOTED = DisplayState(
    "noted", "Stored", "grey", None, "Stored and available for download; its content is not read.", again=_AGAIN
)
NO_TEXT = DisplayState(
    "no_text",
    "Stored, no text",
    "grey",
    None,
    "No text was found, so search can find it only by its name.",
    again=_AGAIN,
)
FAILED = DisplayState("failed", "Failed", "red", "Retry processing", "The file could not be read; the reason is shown.")
LOCKED = DisplayState(
    "locked",
    "Needs a password",
    "red",
    None,
    "The file is protected by a password; it cannot be processed without the password.",
)
CANCELLED = DisplayState("cancelled", "Cancelled", "grey", "Retry processing", "Processing was cancelled by a user.")

DISPLAY_STATES = (
    WAITING,
    PARKED,
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
_STORED_BY_CATEGORY = {"unsupported_file_type": NOTED, "no_text": NO_TEXT}


def display_state(document: Document) -> DisplayState:
    """Return the display state of the document."""
    match document.status:
        case "pending":
            return PARKED if document.parked else WAITING
        case "processing":
            return STALE if document.stale else PROCESSING
        case "failed":
            return LOCKED if document.reason_category == "encrypted" else FAILED
        case "cancelled":
            return CANCELLED
        case _:
            return _completed_state(document)


def _completed_state(document: Document) -> DisplayState:
    if document.reason_category in _STORED_BY_CATEGORY:
        return _STORED_BY_CATEGORY[document.reason_category]
    if document.reason_category:
        return UNCLASSIFIED if document.left_out == "classify_ai" else INCOMPLETE
    # Without a file, an outside processor has completed it, and Docyard can find no title.
    return NORMAL if document.title or document.is_elsewhere else NEEDS_CLASSIFICATION
