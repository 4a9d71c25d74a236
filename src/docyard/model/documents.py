"""Documents, files inside documents, search hits and attempts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from docyard.model.tiers import DEFAULT_PRIORITY, Tier


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A received and stored file, to be inserted as a document."""

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
    """The result of receiving a file: a new document, or the existing one with the same content."""

    document_id: UUID
    name: str
    duplicate: bool


@dataclass(frozen=True, slots=True)
class Document:
    """A row of the table `documents`, with values computed from other tables."""

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
    retried: bool = False  # it waits for another attempt at a stage; the reason tells why
    retry_at: datetime | None = None
    parked: bool = False  # it waits for an outside processor, because its file cannot be fetched
    type: str | None = None
    type_confidence: float | None = None
    summary: str | None = None
    document_date: date | None = None
    left_out: str | None = None  # first stage whose result is missing because the stage failed
    folder_id: UUID | None = None
    folder: str | None = None
    found_tags: tuple[str, ...] = ()  # found by classification; `tags` were added by users

    @property
    def is_elsewhere(self) -> bool:
        """Whether its file is not in the blob store; SQL has the same rule in is_fetchable()."""
        return self.blob_key is None

    @property
    def further_tags(self) -> tuple[str, ...]:
        """Tags found by classification that no user added."""
        user_tags = {tag.lower() for tag in self.tags}
        return tuple(tag for tag in self.found_tags if tag.lower() not in user_tags)


@dataclass(frozen=True, slots=True)
class Family:
    """The number and total size of files found inside one uploaded document, at any depth."""

    root_id: UUID
    documents: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ContainedFile:
    """A file inside a document: the document made from it, or the reason why none was made."""

    member: str
    name: str
    size: int
    child_id: UUID | None
    reason: str | None
    status: str | None = None
    retryable: bool = False  # its extraction failed, and a retry of the containing document repeats it


@dataclass(frozen=True, slots=True)
class ContainingDocument:
    """A document that contains another document as an attachment."""

    id: UUID
    name: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found by a search."""

    document_id: UUID
    document_name: str
    title: str | None
    page: int
    start: int
    end: int
    snippet: str
    score: float
    by: str = "words"  # how it was found: words, meaning, both or facts


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at one stage of a document, as the web page of the document shows it."""

    stage: str
    outcome: str
    at: datetime
    seconds: float | None
    message: str | None
    worker: str | None
