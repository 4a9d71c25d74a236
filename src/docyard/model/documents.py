"""Documents as they are received and as people see them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from docyard.model.tiers import DEFAULT_PRIORITY, Tier


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A file that has arrived whole and is stored, about to become a document."""

    workspace_id: UUID
    name: str
    source: str
    sha256: str
    size: int
    blob_key: str
    tier: Tier = Tier.USER_UPLOAD
    priority: int = DEFAULT_PRIORITY
    tags: tuple[str, ...] = ()
    created_by: UUID | None = None
    parent_id: UUID | None = None
    depth: int = 0
    folder_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a received file: a new document, or the one that already had this content."""

    document_id: UUID
    name: str
    duplicate: bool


@dataclass(frozen=True, slots=True)
class Document:
    """A document as the registry knows it."""

    id: UUID
    seq: int
    workspace_id: UUID
    name: str
    source: str
    original_path: str | None
    blob_key: str | None
    media_type: str | None
    size: int | None
    sha256: str | None
    status: str
    stage: str | None
    title: str | None
    language: str | None
    tags: tuple[str, ...]
    page_count: int | None
    reason: str | None
    reason_category: str | None
    notes: tuple[str, ...]
    tier: Tier
    priority: int
    running_seconds: float
    attempt_started_at: datetime | None
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None
    depth: int = 0
    stale: bool = False
    retry_at: datetime | None = None
    type: str | None = None
    type_confidence: float | None = None
    summary: str | None = None
    document_date: date | None = None
    left_out: str | None = None  # the first stage that the document had to do without
    folder_id: UUID | None = None
    folder: str | None = None
    found_tags: tuple[str, ...] = ()  # by classification; `tags` are those that people gave

    @property
    def further_tags(self) -> tuple[str, ...]:
        """Tags that were found and that nobody gave."""
        given = {tag.lower() for tag in self.tags}
        return tuple(tag for tag in self.found_tags if tag.lower() not in given)


@dataclass(frozen=True, slots=True)
class Family:
    """How much one upload has brought so far, by the outermost document."""

    root_id: UUID
    documents: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Contained:
    """A file inside a document: the document it became, or the reason why it became none."""

    member: str
    name: str
    size: int
    child_id: UUID | None
    reason: str | None
    status: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A document inside which another was found."""

    id: UUID
    name: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that a search found."""

    document_id: UUID
    document_name: str
    title: str | None
    page: int
    start: int
    end: int
    snippet: str
    score: float
    by: str = "words"  # what found it: words, meaning or both


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at one stage of a document, as its page shows it."""

    stage: str
    outcome: str
    at: datetime
    seconds: float | None
    message: str | None
    worker: str | None
