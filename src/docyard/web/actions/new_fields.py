"""Fields that a person adds: where the text says them is found and offered, and kept if it was chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from docyard import clock, log
from docyard.db import Connection
from docyard.errors import BadInput, Changed, Failure, NotFound, Retry
from docyard.facts.vocabulary import FIELD_NAMES, names_for
from docyard.model.documents import Document
from docyard.model.facts import FieldValue, Span
from docyard.model.timeouts import RENDER
from docyard.pipeline.field_edits import at_place, editing, find_places, persons_value
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
class FieldForm:
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


def field_form(web: Web, document: Document, given: Typed) -> FieldForm:
    """The form, with what was typed already; what can be no value is nowhere in the text."""
    names = names_for(document.type)
    if given.name not in FIELD_NAMES or not given.value:
        return FieldForm(names)
    known = names if given.name in names else (*names, given.name)
    try:
        found = tuple(offers(web, document, given.name, given.value))
    except BadInput:
        found = ()
    return FieldForm(known, given.name, given.value, found)


def offers(web: Web, document: Document, name: str, text: str) -> list[Offer]:
    """Where the text of a document says what somebody typed for a field, the first places first."""
    new, found = persons_value(name, text), list[Offer]()
    try:
        for offer in _search(web, document, new):
            found.append(offer)
            if len(found) == _MOST:
                break
    except Failure as failure:  # those found so far are better than none
        log.warn("value_not_looked_for", document=document.id, category=failure.category)
    return found


def _search(web: Web, document: Document, new: FieldValue) -> Iterator[Offer]:
    until = clock.monotonic() + RENDER
    # A few pages at once: a long document is not read to its end for its first pages.
    for first in range(1, min(document.page_count or 0, _MOST_PAGES) + 1, _PAGES_AT_ONCE):
        with web.db.transaction(document.workspace_id) as conn:
            pages = page_texts(conn, document.id, first=first, most=_PAGES_AT_ONCE)
        texts = {page.number: page.text for page in pages}
        left = max(until - clock.monotonic(), 0.0)
        for span in find_places(web.children, new, texts, most=_MOST, seconds=left):
            yield _offer(span, texts[span.page])


def add(web: Web, identity: Identity, document_id: UUID, fields: dict[str, str]) -> int:
    """Keep what a person says of a field that was not found, at the place they chose; gives its number."""
    new = persons_value(fields.get("name", ""), fields.get("value", ""))
    if span := _span(fields.get("place", "")):
        new = _placed(web, identity, document_id, new, span)
    with web.db.transaction(identity.workspace_id) as conn:
        get_document(conn, document_id)
        with editing(conn, document_id) as document:
            _require_same_text(conn, document, new)
            number = add_field(conn, document, new, identity.email)
    log.event("field_added", document=document_id, name=new.name, number=number, user=identity.user_id)
    return number


def is_said(web: Web, identity: Identity, document_id: UUID, fields: dict[str, str]) -> bool:
    """Whether the text says what was typed, so that its place is worth asking for."""
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
    return bool(offers(web, document, fields.get("name", ""), fields.get("value", "")))


def _span(place: str) -> Span | None:
    """A place as it was offered: page, start and end."""
    numbers = [whole_number(part.strip(), "place") for part in place.split(",")] if place.strip() else []
    if numbers and (len(numbers) != 3 or None in numbers):
        raise BadInput("'place' is a page, a start and an end, such as 1,20,35.")
    return Span(*(number or 0 for number in numbers)) if numbers else None


def _placed(web: Web, identity: Identity, document_id: UUID, new: FieldValue, span: Span) -> FieldValue:
    """The field with exactly the words of its place; BadInput where they do not say it, Retry if unknown."""
    with web.db.transaction(identity.workspace_id) as conn:
        get_document(conn, document_id)
        text = _text_of(conn, document_id, span.page)
    try:
        placed = at_place(web.children, new, text, span, seconds=RENDER)
    except Failure as failure:
        log.warn("place_not_checked", document=document_id, category=failure.category)
        words = "What stands at this place could not be checked just now. Please try again."
        raise Retry(failure.category, words) from failure
    if placed is None:
        raise BadInput("The document does not say so at this place.")
    return placed


def _require_same_text(conn: Connection, document: Document, new: FieldValue) -> None:
    """A value is exactly the text at its place, but the document may have been read again since the check."""
    if new.span is not None and _words_at(conn, document.id, new.span) != new.value:
        raise Changed("The text at this place has changed meanwhile. Choose the place again.")


def _words_at(conn: Connection, document_id: UUID, span: Span) -> str:
    return _text_of(conn, document_id, span.page)[span.start : span.end]


def _text_of(conn: Connection, document_id: UUID, page: int) -> str:
    try:
        return load_page(conn, document_id, page).text
    except NotFound:
        return ""


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
