"""The page of one document: state, facts, page images with text, and processing history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from docyard.db import Connection
from docyard.errors import NotFound
from docyard.model.documents import Document
from docyard.model.text.bounding_boxes import Place
from docyard.pipeline.unlocked_copies import waits_for_password
from docyard.search import find_related, matching_forms, matching_pages, spans
from docyard.store.attachments import attachments_of, found_in
from docyard.store.documents import get_document
from docyard.store.folders import folder_names
from docyard.store.results import attempts, load_page
from docyard.web.actions.new_fields import Typed, field_form, typed
from docyard.web.context import TheWeb
from docyard.web.identity import Reader
from docyard.web.inputs import DocumentId
from docyard.web.pages.page_images import has_picture
from docyard.web.view import fact_labels
from docyard.web.view.document_facts import at_first_mention, facts_of
from docyard.web.view.fact_marks import marks
from docyard.web.view.highlights import Box, Mark, boxes, drawn, marked_text, passage_within
from docyard.web.view.page_links import Addresses, Look, look
from docyard.web.view.templates import render

routes = APIRouter()


@dataclass(frozen=True, slots=True)
class View:
    """One page of a document, ready for the template."""

    number: int
    text: Markup
    empty: bool
    width: float
    height: float
    boxes: list[Box]
    marks: list[tuple[Mark, list[Place]]]
    pictured: bool
    found_on: list[int]


@routes.get("/documents/{document_id}")
def show_document(
    request: Request,
    web: TheWeb,
    identity: Reader,
    document_id: DocumentId,
    asked: Annotated[Look, Depends(look)],
    given: Annotated[Typed, Depends(typed)],
) -> Response:
    """Show a document at one of its pages."""
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
        asked = at_first_mention(conn, document_id, asked)
        to = Addresses(document_id, asked)
        facts = facts_of(conn, document, asked)
        view = _view(conn, document, asked, marks(facts, asked, to))
        history = attempts(conn, document_id)
        children, parents = attachments_of(conn, document_id), found_in(conn, document_id)
        folders = folder_names(conn, identity.workspace_id) if identity.may_edit else []
        similar = find_related(conn, document_id) if document.page_count else []
    form = field_form(web, document, given) if identity.may_edit else None
    return render(
        request,
        "document.html",
        document=document,
        view=view,
        attempts=history,
        locked=waits_for_password(document),
        attachments=children,
        found_in=parents,
        related=similar,
        folders=folders,
        adding=form,
        query=asked.words,
        asked=asked,
        facts=facts,
        between="" if document.type else fact_labels.between(facts.evidence),
        to=to,
    )


def _view(conn: Connection, document: Document, asked: Look, fact_marks: Sequence[Mark]) -> View | None:
    """Return the requested page; None if the document has no pages yet."""
    if not document.page_count:
        return None
    try:
        page = load_page(conn, document.id, asked.number)
    except NotFound:
        raise NotFound(
            f"This document has {document.page_count} pages; there is no page {asked.number}."
        ) from None
    forms = matching_forms(conn, document.id, asked.number, asked.words) if asked.words else set()
    found_on = matching_pages(conn, document.id, asked.words) if asked.words else []
    hits, passage = spans(page.text, forms), passage_within(page.text, asked.start, asked.end)
    return View(
        number=page.number,
        text=marked_text(page.text, hits, passage, fact_marks),
        empty=not page.text.strip(),
        width=page.width,
        height=page.height,
        boxes=boxes(page, hits, passage),
        marks=drawn(page, fact_marks),
        pictured=has_picture(document) and page.width > 0,
        found_on=found_on,
    )
