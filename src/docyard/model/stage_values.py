"""Stage inputs and outputs; the pipeline loads what a stage needs and saves what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from docyard.model.facts import CanonicalMention, FieldValue, Mention, Relation, Span
from docyard.model.stage_value import StageValue
from docyard.model.text.pages import Page


@dataclass(frozen=True, slots=True)
class Source(StageValue):
    """The original file of a document; `path` is valid while the stage runs."""

    path: Path
    name: str
    size: int | None
    sha256: str | None
    unlocked: Path | None = None  # a copy without password protection, to be read instead
    depth: int = 0  # nesting depth inside other documents


@dataclass(frozen=True, slots=True)
class FetchedFile(StageValue):
    """A verified file: its size and hash, and the media type detected from its content."""

    media_type: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside a document; `member` identifies it to the reader that found it."""

    member: str
    name: str
    size: int


@dataclass(frozen=True, slots=True)
class ExtractedText(StageValue):
    """The text of a document, page by page."""

    pages: tuple[Page, ...]
    metadata_title: str | None = None
    notes: tuple[str, ...] = ()  # messages for users about content that could not be read
    attachments: tuple[Attachment, ...] = ()  # files that become separate documents


@dataclass(frozen=True, slots=True)
class OcrPage(StageValue):
    """The result of reading one page, with a message for users if part of it could not be read."""

    page: Page
    note: str | None = None


@dataclass(frozen=True, slots=True)
class OcrProgress(StageValue):
    """The result of a stage that reads pages separately; each page is saved as soon as it is read."""

    pages: int
    textless: bool
    pages_left: int = 0  # pages still to be read in a later turn


@dataclass(frozen=True, slots=True)
class TypeEvidence:
    """A phrase that indicates a document type, with its span and weight."""

    phrase: str
    span: Span | None  # None if the evidence is the file format
    weight: float
    kind: str = ""  # the type it indicates


@dataclass(frozen=True, slots=True)
class Classification(StageValue):
    """Title, language, type and other metadata of a document; the type is None if none is certain enough."""

    title: str | None
    language: str | None
    type: str | None = None
    type_confidence: float = 0.0  # expected share of such answers that are correct
    evidence: tuple[TypeEvidence, ...] = ()  # for the type, or for the likeliest types if it is None
    summary: str | None = None
    date: str | None = None  # 2026-11-15
    tags: tuple[str, ...] = ()
    source: str = "rule"  # "llm" if an LLM was used
    notes: tuple[str, ...] = ()  # messages for users


@dataclass(frozen=True, slots=True)
class PageImage(StageValue):
    """The first page of a document as an image for an LLM; empty if the text suffices or rendering failed."""

    data: bytes = b""
    media_type: str = "image/jpeg"


@dataclass(frozen=True, slots=True)
class DocumentFields(StageValue):
    """The fields of a document, and messages about problems with them."""

    fields: tuple[FieldValue, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: exactly `text[start:end]` of its page, with the headings above it."""

    ordinal: int
    page: int
    start: int
    end: int
    text: str
    heading: str = ""


@dataclass(frozen=True, slots=True)
class DocumentChunks(StageValue):
    """The passages of a document, in reading order."""

    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class DocumentMentions(StageValue):
    """The mentions of a document, in reading order."""

    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class CanonicalMentions(StageValue):
    """The mentions of a document, each with the key of its entity."""

    mentions: tuple[CanonicalMention, ...]


@dataclass(frozen=True, slots=True)
class DocumentRelations(StageValue):
    """The relations of a document, and mentions that come only from its fields."""

    relations: tuple[Relation, ...]
    mentions: tuple[CanonicalMention, ...] = ()
