"""What a document says, each with the place that says it: fields of its type, and mentions of things."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

# What a mention can be of; each has one way of being written in its normal form.
MENTION_KINDS = (
    "person",
    "organisation",
    "place",
    "date",  # normal: 2026-11-15, or 2026-11 where no day is said
    "money",  # normal: EUR 1234.50
    "citation",
    "court",
    "case_number",
    "statute",
    "email",
    "phone",  # normal: E.164
    "iban",
    "vat_number",
    "invoice_number",
    "equipment",
    "part",
    "fault",
    "action",
)

PERSON = "person"  # the source of a value that somebody gave


class Span(NamedTuple):
    """`text[start:end]` of a page, by its number; where something is said."""

    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mention:
    """One place that names a thing: what it names, its normal form, how sure, and who says so."""

    kind: str
    span: Span
    text: str  # exactly the span's text
    normal: str  # the same for every way of writing the same value
    confidence: float  # from 0 to 1, meant as the share of such mentions that are right
    source: str  # "rule", "model", "llm", "xml"


@dataclass(frozen=True, slots=True)
class FieldValue:
    """What a document says about one field of its type, where it says so, how sure, and who says so."""

    name: str  # "total", "seller", "governing_law"
    value: str  # as it stands in the document
    normal: str  # 2026-11-15, 1234.50, EUR; the value itself where there is no other form
    confidence: float
    source: str
    span: Span | None = None  # None only where the value is not in the text, as in XML, or a person gave it


@dataclass(frozen=True, slots=True)
class KeptField(FieldValue):
    """A field as it is kept: its number, and what a person said of it, who and when."""

    id: int = 0
    state: str = "unconfirmed"
    decided_by: str | None = None
    decided_at: datetime | None = None
    corrects: int | None = None  # the field that was found, of a value that a person gave in its place


class EntityKey(NamedTuple):
    """What makes mentions name one entity: its kind, and what all ways of writing its name have in common."""

    kind: str
    key: str


@dataclass(frozen=True, slots=True)
class Canonical:
    """A mention with the key of the entity it names, "" where it names none; and the field it was made of."""

    mention: Mention
    key: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """How an entity relates to another, or to the document itself, and the place that says so."""

    type: str  # "party_to", "sent_to"
    source: EntityKey
    target: EntityKey | None  # None is the document
    span: Span
    confidence: float
