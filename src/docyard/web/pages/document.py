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
from docyard.model.text.bounding_boxes import BoundingBox
from docyard.pipeline.unlocked_copies import waits_for_password
from docyard.search import find_matching_pages, find_matching_words, find_related, find_spans
from docyard.store.attachments import list_attachments, list_containing_documents
from docyard.store.documents import get_document
from docyard.store.folders import folder_names
from docyard.store.results import list_attempts, load_page
from docyard.web.actions.new_fields import FieldInput, field_form, parse_field_input
from docyard.web.context import TheWeb
from docyard.web.identity import Reader
from docyard.web.inputs import DocumentId
from docyard.web.pages.page_images import has_page_images
from docyard.web.view import fact_labels
from docyard.web.view.document_facts import load_facts, open_at_first_mention
from docyard.web.view.fact_marks import fact_marks
from docyard.web.view.highlights import Box, Mark, clip_passage, highlight_boxes, highlight_text, mark_rectangles
from docyard.web.view.page_links import PageLinks, PageRequest, parse_page_request
from docyard.web.view.templates import render

routes = APIRouter()


@dataclass(frozen=True, slots=True)
class PageView:
    """One page of a document, ready for the template."""

    number: int
    text: Markup
    empty: bool
    width: float
    height: float
    boxes: list[Box]
    marks: list[tuple[Mark, list[BoundingBox]]]
    pictured: bool
    found_on: list[int]


@routes.get("/documents/{document_id}")
def show_document(
    request: Request,
    web: TheWeb,
    identity: Reader,
    document_id: DocumentId,
    asked: Annotated[PageRequest, Depends(parse_page_request)],
    given: Annotated[FieldInput, Depends(parse_field_input)],
) -> Response:
    """Show a document at one of its pages."""
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
        asked = open_at_first_mention(conn, document_id, asked)
        to = PageLinks(document_id, asked)
        facts = load_facts(conn, document, asked)
        view = _view(conn, document, asked, fact_marks(facts, asked, to))
        history = list_attempts(conn, document_id)
        children, parents = list_attachments(conn, document_id), list_containing_documents(conn, document_id)
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
        between="" if document.type else fact_labels.candidate_types(facts.evidence),
        to=to,
    )


def _view(conn: Connection, document: Document, asked: PageRequest, fact_marks: Sequence[Mark]) -> PageView | None:
    """Return the requested page; None if the document has no pages."""
    if not document.page_count:
        return None
    try:
        page = load_page(conn, document.id, asked.number)
    except NotFound:
        raise NotFound(f"This document has no page {asked.number}. Its last page is {document.page_count}.") from None
    forms = find_matching_words(conn, document.id, asked.number, asked.words) if asked.words else set()
    found_on = find_matching_pages(conn, document.id, asked.words) if asked.words else []
    hits, passage = find_spans(page.text, forms), clip_passage(page.text, asked.start, asked.end)
    return PageView(
        number=page.number,
        text=highlight_text(page.text, hits, passage, fact_marks),
        empty=not page.text.strip(),
        width=page.width,
        height=page.height,
        boxes=highlight_boxes(page, hits, passage),
        marks=mark_rectangles(page, fact_marks),
        pictured=has_page_images(document) and page.width > 0,
        found_on=found_on,
    )
