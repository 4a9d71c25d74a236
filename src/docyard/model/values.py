"""What stages take and give; the pipeline loads the ones a stage needs and saves the ones it gives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from docyard.model.facts import Canonical, FieldValue, Mention, Relation, Span
from docyard.model.stage_value import StageValue
from docyard.model.text.pages import Page


@dataclass(frozen=True, slots=True)
class Source(StageValue):
    """The original file of a document, readable at `path` while a stage runs."""

    path: Path
    name: str
    size: int | None
    sha256: str | None
    unlocked: Path | None = None  # a copy that needs no password, to be read in its place
    depth: int = 0  # inside how many other documents it was found


@dataclass(frozen=True, slots=True)
class Fetched(StageValue):
    """The bytes are here and are what they should be; the media type comes from their content."""

    media_type: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside a document; `member` is how the reader that found it finds it again."""

    member: str
    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Extracted(StageValue):
    """The text of a document, page by page."""

    pages: tuple[Page, ...]
    metadata_title: str | None = None
    notes: tuple[str, ...] = ()  # what could not be read, in words for the document's page
    attachments: tuple[Attachment, ...] = ()  # what becomes documents of their own


@dataclass(frozen=True, slots=True)
class PageRead(StageValue):
    """One page that was read by itself, and what is wrong with it, in words for the document's page."""

    page: Page
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Reading(StageValue):
    """What reading pages one by one came to; the pages themselves are kept as soon as each is read."""

    pages: int
    textless: bool
    left: int = 0  # for another turn


@dataclass(frozen=True, slots=True)
class Evidence:
    """A phrase that speaks for a document's type, where it stands, and how strongly it speaks."""

    phrase: str
    span: Span | None  # None where it is the file's format that speaks
    weight: float
    kind: str = ""  # the type it speaks for


@dataclass(frozen=True, slots=True)
class Classified(StageValue):
    """What kind of document this is; None means 'not sure'."""

    title: str | None
    language: str | None
    type: str | None = None
    type_confidence: float = 0.0  # meant as the share of such answers that are right
    evidence: tuple[Evidence, ...] = ()  # where it is not sure, what speaks for the likeliest types
    summary: str | None = None
    date: str | None = None  # 2026-11-15
    tags: tuple[str, ...] = ()
    source: str = "rule"  # "llm" where a model was asked
    notes: tuple[str, ...] = ()  # what could not be done, in words for the document's page


@dataclass(frozen=True, slots=True)
class PageImage(StageValue):
    """A document's first page as a picture for a model to look at; empty where its text says it all."""

    data: bytes = b""
    media_type: str = "image/jpeg"


@dataclass(frozen=True, slots=True)
class Fielded(StageValue):
    """What a document says about the fields of its type, and what was wrong with them, in words."""

    fields: tuple[FieldValue, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: exactly `text[start:end]` of its page, and the headings it stands under."""

    ordinal: int
    page: int
    start: int
    end: int
    text: str
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Chunked(StageValue):
    """The passages of a document, in reading order."""

    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Mentioned(StageValue):
    """What the pages of a document name, in reading order."""

    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class Canonicalised(StageValue):
    """The mentions of a document, each with the entity it names."""

    mentions: tuple[Canonical, ...]


@dataclass(frozen=True, slots=True)
class Related(StageValue):
    """How the entities of a document relate, and mentions that only its fields know of."""

    relations: tuple[Relation, ...]
    mentions: tuple[Canonical, ...] = ()
