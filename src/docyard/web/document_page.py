"""The page of one document: its state in words, its pages as picture and text, and every attempt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from docyard.db import Connection
from docyard.errors import NotFound
from docyard.model.documents import Document
from docyard.model.pages import Page
from docyard.pipeline.unlock import waits_for_password
from docyard.search import matching_forms, matching_pages, related, spans
from docyard.store.attachments import attachments_of, found_in
from docyard.store.documents import get_document
from docyard.store.results import attempts, load_page
from docyard.web.context import TheWeb
from docyard.web.highlights import Box, boxes, marked_text, passage_within
from docyard.web.identity import Reader
from docyard.web.inputs import DocumentId, page_number, whole_number
from docyard.web.pictures import has_picture
from docyard.web.rendering import render

routes = APIRouter()


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a document someone wants to look, and for what."""

    number: int
    words: str
    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True)
class View:
    """One page as it is shown."""

    number: int
    text: Markup
    empty: bool
    width: float
    height: float
    boxes: list[Box]
    pictured: bool
    found_on: list[int]


def _place(page: str = "", q: str = "", start: str = "", end: str = "") -> Place:
    return Place(page_number(page), q.strip(), whole_number(start, "start"), whole_number(end, "end"))


@routes.get("/documents/{document_id}")
def show_document(
    request: Request,
    web: TheWeb,
    identity: Reader,
    document_id: DocumentId,
    place: Annotated[Place, Depends(_place)],
) -> Response:
    """One document, at one of its pages."""
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
        view = _view(conn, document, place)
        tries = attempts(conn, document_id)
        inside, outside = attachments_of(conn, document_id), found_in(conn, document_id)
        alike = related(conn, document_id) if document.page_count else []
    return render(
        request,
        "document.html",
        document=document,
        view=view,
        attempts=tries,
        locked=waits_for_password(document),
        attachments=inside,
        found_in=outside,
        related=alike,
        query=place.words,
        place=place,
        page_link=lambda number: _link(document, place, number),
    )


def _view(conn: Connection, document: Document, place: Place) -> View | None:
    """The page asked for; None while there is none to show."""
    if not document.page_count:
        return None
    try:
        page = load_page(conn, document.id, place.number)
    except NotFound:
        raise NotFound(
            f"This document has {document.page_count} pages; there is no page {place.number}."
        ) from None
    forms = matching_forms(conn, document.id, place.number, place.words) if place.words else set()
    found_on = matching_pages(conn, document.id, place.words) if place.words else []
    return _drawn(document, page, spans(page.text, forms), place, found_on)


def _drawn(
    document: Document, page: Page, hits: list[tuple[int, int]], place: Place, found_on: list[int]
) -> View:
    passage = passage_within(page.text, place.start, place.end)
    return View(
        number=page.number,
        text=marked_text(page.text, hits, passage),
        empty=not page.text.strip(),
        width=page.width,
        height=page.height,
        boxes=boxes(page, hits, passage),
        pictured=has_picture(document) and page.width > 0,
        found_on=found_on,
    )


def _link(document: Document, place: Place, number: int) -> str:
    """The same look at another page."""
    wanted = {"page": number, **({"q": place.words} if place.words else {})}
    return f"/documents/{document.id}?{urlencode(wanted)}#pages"
