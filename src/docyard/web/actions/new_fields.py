"""Fields that a person adds: where the text says them is found and offered, and kept if it was chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from docyard import log
from docyard.db import Connection
from docyard.errors import BadInput, NotFound
from docyard.facts.fields.field_names import FIELD_NAMES, names_for
from docyard.facts.fields.occurrences import whereabouts
from docyard.facts.fields.user_values import given_value, is_amount, is_day, normal_of
from docyard.model.documents import Document
from docyard.model.facts import PERSON, FieldValue, Span
from docyard.pipeline.field_edits import speaking
from docyard.store.documents import get_document
from docyard.store.fields import add_field
from docyard.store.people import Identity
from docyard.store.results import load_page, page_texts
from docyard.web.context import Web
from docyard.web.inputs import whole_number

_MOST = 12  # places to choose among
_AROUND = 40  # characters shown on each side of one
_PAGES_AT_ONCE = 50
_MOST_PAGES = 300  # that are looked through while somebody waits
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Offer:
    """A place where the text says a value, with the words around it."""

    span: Span
    before: str
    text: str
    after: str

    @property
    def place(self) -> str:
        """The place as forms send it."""
        return ",".join(map(str, self.span))


@dataclass(frozen=True, slots=True)
class Adding:
    """The form for a new field: which names there are, what was typed, and where the text says it."""

    names: tuple[str, ...]
    name: str = ""
    value: str = ""
    offers: tuple[Offer, ...] = ()


@dataclass(frozen=True, slots=True)
class Typed:
    """What somebody typed into the form."""

    name: str
    value: str


def typed(add: str = "", value: str = "") -> Typed:
    """What an address brings back to the form."""
    return Typed(add[:60], value[:_LONGEST])


def adding(conn: Connection, document: Document, given: Typed) -> Adding:
    """The form, with what was typed already; what can be no value is nowhere in the text."""
    names = names_for(document.type)
    if given.name not in FIELD_NAMES or not given.value:
        return Adding(names)
    known = names if given.name in names else (*names, given.name)
    try:
        found = tuple(offers(conn, document, given.name, given.value))
    except BadInput:
        found = ()
    return Adding(known, given.name, given.value, found)


def offers(conn: Connection, document: Document, name: str, typed: str) -> list[Offer]:
    """Where the text of a document says what somebody typed for a field, the first places first."""
    value = given_value(typed)
    seen: dict[int, str] = {}
    found = whereabouts(name, value, _normal(name, value), _texts(conn, document, seen), _MOST)
    return [_offer(span, seen[span.page]) for span in found]


def add(web: Web, identity: Identity, document_id: UUID, fields: dict[str, str]) -> int:
    """Keep what a person says of a field that was not found, at the place they chose; gives its number."""
    name, value = fields.get("name", ""), given_value(fields.get("value", ""))
    with web.db.transaction(identity.workspace_id) as conn:
        normal, span = _normal(name, value), _span(fields.get("place", ""))
        get_document(conn, document_id)
        with speaking(conn, document_id) as document:
            new = FieldValue(name, value, normal, 1.0, PERSON)
            new = _placed(conn, document_id, new, span) if span else new
            number = add_field(conn, document, new, identity.email)
    log.event("field_added", document=document_id, name=name, number=number, user=identity.user_id)
    return number


def is_said(web: Web, identity: Identity, document_id: UUID, fields: dict[str, str]) -> bool:
    """Whether the text says what was typed, so that its place is worth asking for."""
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
        return bool(offers(conn, document, fields.get("name", ""), fields.get("value", "")))


def _normal(name: str, value: str) -> str:
    if name not in FIELD_NAMES:
        raise BadInput(f"'name' must be one of {', '.join(FIELD_NAMES)}.")
    return normal_of(name, value)


def _span(place: str) -> Span | None:
    """A place as it was offered: page, start and end."""
    numbers = [whole_number(part.strip(), "place") for part in place.split(",")] if place.strip() else []
    if numbers and (len(numbers) != 3 or None in numbers):
        raise BadInput("'place' is a page, a start and an end, such as 1,20,35.")
    return Span(*(number or 0 for number in numbers)) if numbers else None


def _placed(conn: Connection, document_id: UUID, new: FieldValue, span: Span) -> FieldValue:
    """The field with exactly the words of its place; BadInput where they do not say it."""
    try:
        text = load_page(conn, document_id, span.page).text
    except NotFound:
        text = ""
    said = whereabouts(new.name, new.value, new.normal, [(span.page, text)], len(text))
    if span not in said:
        raise BadInput("The document does not say so at this place.")
    words = text[span.start : span.end]
    same = is_amount(new.name) or is_day(new.name)
    normal = new.normal if same else normal_of(new.name, " ".join(words.split()))
    return FieldValue(new.name, words, normal, new.confidence, new.source, span)


def _texts(conn: Connection, document: Document, seen: dict[int, str]) -> Iterator[tuple[int, str]]:
    """The pages in turn, a few at once: a long document is not read to its end for its first pages."""
    for first in range(1, min(document.page_count or 0, _MOST_PAGES) + 1, _PAGES_AT_ONCE):
        for page in page_texts(conn, document.id, first=first, most=_PAGES_AT_ONCE):
            seen[page.number] = page.text
            yield page.number, page.text


def _offer(span: Span, text: str) -> Offer:
    before, after = text[max(span.start - _AROUND, 0) : span.start], text[span.end : span.end + _AROUND]
    said = " ".join(text[span.start : span.end].split())
    return Offer(span, _tidy(before, last=True), said, _tidy(after))


def _tidy(text: str, *, last: bool = False) -> str:
    """One line, without the piece of a word where it was cut."""
    words = " ".join(text.split())
    if len(text) < _AROUND or " " not in words:
        return words
    return words.split(" ", 1)[1] if last else words.rsplit(" ", 1)[0]
