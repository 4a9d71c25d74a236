"""Fields added by users, and the search for the places where the text states a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from docyard import clock, log
from docyard.db import Connection
from docyard.errors import BadInput, Changed, Failure, NotFound, Retry
from docyard.facts.vocabulary import FIELD_NAMES, list_field_names
from docyard.model.documents import Document
from docyard.model.facts import FieldValue, Span
from docyard.model.timeouts import RENDER
from docyard.pipeline.field_edits import find_spans, lock_for_edit, make_user_value, read_value_at
from docyard.store.documents import get_document
from docyard.store.fields import add_field
from docyard.store.results import load_page, load_page_texts
from docyard.store.users import Identity
from docyard.web.context import Web
from docyard.web.inputs import parse_whole_number

_MAX_OFFERS = 12  # occurrences to choose from
_CONTEXT = 40  # characters shown before and after an occurrence
_PAGES_PER_BATCH = 50
_MAX_PAGES = 300  # pages searched; the user waits meanwhile
_MAX_VALUE = 500  # characters


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An occurrence of a value in the text, with the words around it."""

    span: Span
    before: str
    text: str
    after: str

    @property
    def place(self) -> str:
        """The span as `page,start,end`, as forms send it."""
        return ",".join(map(str, self.span))


@dataclass(frozen=True, slots=True)
class FieldForm:
    """The form for a new field: available names, entered values and occurrences in the text."""

    names: tuple[str, ...]
    name: str = ""
    value: str = ""
    offers: tuple[Occurrence, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldInput:
    """The name and the value entered in the form."""

    name: str
    value: str


def parse_field_input(add: str = "", value: str = "") -> FieldInput:
    """Return the field name and the value from the URL parameters `add` and `value`, each truncated."""
    return FieldInput(add[:60], value[:_MAX_VALUE])


def field_form(web: Web, document: Document, given: FieldInput) -> FieldForm:
    """Return the form, empty without a known name and a value; an invalid value has no occurrences."""
    names = list_field_names(document.type)
    if given.name not in FIELD_NAMES or not given.value:
        return FieldForm(names)
    shown = names if given.name in names else (*names, given.name)
    try:
        found = tuple(find_occurrences(web, document, given.name, given.value))
    except BadInput:
        found = ()
    return FieldForm(shown, given.name, given.value, found)


def find_occurrences(web: Web, document: Document, name: str, text: str) -> list[Occurrence]:
    """Return at most 12 occurrences of a field value in the first 300 pages, in reading order."""
    new, found = make_user_value(name, text), list[Occurrence]()
    try:
        for offer in _find_offers(web, document, new):
            found.append(offer)
            if len(found) == _MAX_OFFERS:
                break
    except Failure as failure:  # return the occurrences found so far
        log.warn("value_search_failed", document=document.id, category=failure.category)
    return found


def _find_offers(web: Web, document: Document, new: FieldValue) -> Iterator[Occurrence]:
    deadline = clock.monotonic() + RENDER
    # In batches, because the first pages of a long document usually contain enough occurrences.
    for first in range(1, min(document.page_count or 0, _MAX_PAGES) + 1, _PAGES_PER_BATCH):
        with web.db.transaction(document.workspace_id) as conn:
            pages = load_page_texts(conn, document.id, first=first, limit=_PAGES_PER_BATCH)
        texts = {page.number: page.text for page in pages}
        left = max(deadline - clock.monotonic(), 0.0)
        for span in find_spans(web.children, new, texts, limit=_MAX_OFFERS, seconds=left):
            yield _make_offer(span, texts[span.page])


def add_user_field(web: Web, identity: Identity, document_id: UUID, fields: dict[str, str]) -> int:
    """Add a field entered by a user, at the chosen place if any, and return its id."""
    new = make_user_value(fields.get("name", ""), fields.get("value", ""))
    if span := _parse_span(fields.get("place", "")):
        new = _locate(web, identity, document_id, new, span)
    with web.db.transaction(identity.workspace_id) as conn:
        get_document(conn, document_id)
        with lock_for_edit(conn, document_id) as document:
            _require_same_text(conn, document, new)
            number = add_field(conn, document, new, identity.email)
    log.event("field_added", document=document_id, name=new.name, number=number, user=identity.user_id)
    return number


def occurs_in_text(web: Web, identity: Identity, document_id: UUID, fields: dict[str, str]) -> bool:
    """Return whether the value in a form was found in the first 300 pages of the document."""
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
    return bool(find_occurrences(web, document, fields.get("name", ""), fields.get("value", "")))


def _parse_span(place: str) -> Span | None:
    """Parse page,start,end; None if empty."""
    numbers = [parse_whole_number(part.strip(), "place") for part in place.split(",")] if place.strip() else []
    if numbers and (len(numbers) != 3 or None in numbers):
        raise BadInput("'place' must be a page, a start and an end, such as 1,20,35.")
    return Span(*(number or 0 for number in numbers)) if numbers else None


def _locate(web: Web, identity: Identity, document_id: UUID, new: FieldValue, span: Span) -> FieldValue:
    """Return the field with the text at this span as its value; raise BadInput if the text does not match."""
    with web.db.transaction(identity.workspace_id) as conn:
        get_document(conn, document_id)
        text = _page_text(conn, document_id, span.page)
    try:
        placed = read_value_at(web.children, new, text, span, seconds=RENDER)
    except Failure as failure:
        log.warn("place_check_failed", document=document_id, category=failure.category)
        message = "The text at this place could not be checked. Please try again."
        raise Retry(failure.category, message) from failure
    if placed is None:
        raise BadInput("The text at this place does not state this value. Choose another place.")
    return placed


def _require_same_text(conn: Connection, document: Document, new: FieldValue) -> None:
    """Raise Changed if the text at the span is no longer the value, for example after reprocessing."""
    if new.span is not None and _text_at(conn, document.id, new.span) != new.value:
        raise Changed("The text at this place has changed. Choose the place again.")


def _text_at(conn: Connection, document_id: UUID, span: Span) -> str:
    return _page_text(conn, document_id, span.page)[span.start : span.end]


def _page_text(conn: Connection, document_id: UUID, page: int) -> str:
    try:
        return load_page(conn, document_id, page).text
    except NotFound:
        return ""


def _make_offer(span: Span, text: str) -> Occurrence:
    before, after = text[max(span.start - _CONTEXT, 0) : span.start], text[span.end : span.end + _CONTEXT]
    value = " ".join(text[span.start : span.end].split())
    return Occurrence(span, _trim(before, last=True), value, _trim(after))


def _trim(text: str, *, last: bool = False) -> str:
    """Return the text as one line, without the word at its end (start if `last`), which may be cut off."""
    words = " ".join(text.split())
    if len(text) < _CONTEXT or " " not in words:
        return words
    return words.split(" ", 1)[1] if last else words.rsplit(" ", 1)[0]
