"""Facts that a document states, with their spans: fields, mentions and relations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

# Kinds of mentions; each kind has its own normal form.
MENTION_KINDS = (
    "person",
    "organisation",
    "place",
    "date",  # normal form: 2026-11-15, or 2026-11 for a month
    "money",  # normal form: EUR 1234.50
    "citation",
    "court",
    "case_number",
    "statute",
    "email",
    "phone",  # normal form: E.164
    "iban",
    "vat_number",
    "invoice_number",
    "equipment",
    "part",
    "fault",
    "action",
)

USER_SOURCE = "person"  # source of a value that a user entered


class Span(NamedTuple):
    """The range `text[start:end]` of the page with this number."""

    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mention:
    """A span that names an entity, a date or an amount, with its normal form, confidence and source."""

    kind: str
    span: Span
    text: str  # exactly the text of the span
    normal: str  # the same for all notations of a value
    confidence: float  # from 0 to 1: the expected share of such mentions that are correct
    source: str  # "rule", "model", "llm", "xml"


@dataclass(frozen=True, slots=True)
class FieldValue:
    """The value of one field of a document, with its span, confidence and source."""

    name: str  # "total", "seller", "governing_law"
    value: str  # as written in the document
    normal: str  # 2026-11-15, 1234.50, EUR; the value itself if it has no normal form
    confidence: float
    source: str
    span: Span | None = None  # None if the value comes from XML or from a user


@dataclass(frozen=True, slots=True)
class StoredField(FieldValue):
    """A stored field: its id, its state, and the user who decided on it."""

    id: int = 0
    state: str = "unconfirmed"
    decided_by: str | None = None
    decided_at: datetime | None = None
    corrects: int | None = None  # id of the extracted field that this value from a user replaces


class EntityKey(NamedTuple):
    """The identity of an entity: its kind, and the key shared by all spellings of its name."""

    kind: str
    key: str


@dataclass(frozen=True, slots=True)
class CanonicalMention:
    """A mention, the key of its entity ("" if it names no entity), and the field it was made from, if any."""

    mention: Mention
    key: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of an entity to another entity or to the document, with the span that states it."""

    type: str  # "party_to", "sent_to"
    source: EntityKey
    target: EntityKey | None  # None for the document itself
    span: Span
    confidence: float
