"""API for documents and search."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from docyard.model.text.markdown import page_markdown
from docyard.model.text.pages import Page
from docyard.search import count_facets, embed_query, find_related, search
from docyard.store.attachments import list_attachments, list_containing_documents
from docyard.store.documents import count_documents, get_document, list_documents
from docyard.store.results import list_attempts, load_page_texts
from docyard.web.actions import documents as actions
from docyard.web.actions.multipart import UploadResult
from docyard.web.actions.uploads import receive_files
from docyard.web.api.document_json import (
    attachment_json,
    attempt_json,
    document_json,
    facets_json,
    hit_json,
    outcome_json,
    result_json,
)
from docyard.web.context import TheWeb
from docyard.web.errors import retry_header
from docyard.web.identity import Editor, Fields, Reader, Writer
from docyard.web.inputs import DocumentId, ListFilters, parse_page_number, parse_whole_number
from docyard.web.search_params import SearchParams

routes = APIRouter(prefix="/api/v1")
TextForm = Annotated[Literal["plain", "markdown"], Query(alias="format")]
_MAX_DOCUMENTS = 200
_MAX_PAGES = 200
_MAX_HITS = 100
_MAX_RELATED = 20


@routes.post("/documents")
async def upload(request: Request, web: TheWeb, identity: Editor) -> Response:
    """Upload files; each has its own result."""
    outcomes = await receive_files(request, web, identity, "api")
    body: dict[str, object] = {"documents": [outcome_json(outcome) for outcome in outcomes]}
    refused = [outcome for outcome in outcomes if outcome.status == "refused"]
    if refused:
        body["error"] = " ".join(f"{outcome.name}: {outcome.reason}" for outcome in refused)
    status = _upload_status(outcomes)
    return JSONResponse(body, status, retry_header(status))


@routes.get("/documents")
def list_all(web: TheWeb, identity: Reader, asked: ListFilters, below: str = "", limit: str = "") -> Response:
    """Return documents, newest first; pass `next` as `below` for the next page."""
    max_count = min(parse_whole_number(limit, "limit") or 50, _MAX_DOCUMENTS)
    under = parse_whole_number(below, "below")
    with web.db.transaction(identity.workspace_id) as conn:
        found = list_documents(conn, identity.workspace_id, asked, below=under, limit=max_count + 1)
        counts = count_documents(conn, identity.workspace_id)
    shown = found[:max_count]
    following = shown[-1].seq if len(found) > max_count else None
    return JSONResponse({"documents": [document_json(each) for each in shown], "next": following, "counts": counts})


@routes.get("/documents/{document_id}")
def show(web: TheWeb, identity: Reader, document_id: DocumentId) -> Response:
    """Return a document with its attempts and attachments."""
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
        history = list_attempts(conn, document_id)
        children, parents = list_attachments(conn, document_id), list_containing_documents(conn, document_id)
    return JSONResponse(
        {
            **document_json(document),
            "attempts": [attempt_json(each) for each in history],
            "attachments": [attachment_json(each) for each in children],
            "foundIn": [{"id": str(each.id), "name": each.name} for each in parents],
        }
    )


@routes.post("/documents/{document_id}/retry")
def retry(web: TheWeb, identity: Writer, document_id: DocumentId) -> Response:
    """Queue a document again; answer `skipped` if there is nothing to retry."""
    job = actions.retry(web, identity, document_id)
    return JSONResponse({"success": True, "jobId": str(job)} if job else {"skipped": True})


@routes.post("/documents/{document_id}/reprocess")
def reprocess(web: TheWeb, identity: Writer, document_id: DocumentId) -> Response:
    """Process a finished document again from its file; answer 400 if the file is missing. Corrections are kept."""
    job = actions.reprocess(web, identity, document_id)
    return JSONResponse({"success": True, "jobId": str(job)} if job else {"skipped": True})


@routes.post("/documents/{document_id}/unlock")
def unlock(web: TheWeb, identity: Writer, document_id: DocumentId, fields: Fields) -> Response:
    """Unlock a document with the form field `password`; answer 422 if the password is wrong."""
    actions.unlock(web, identity, document_id, fields.get("password", ""))
    return JSONResponse({"success": True})


@routes.post("/documents/{document_id}/cancel")
def cancel(web: TheWeb, identity: Writer, document_id: DocumentId) -> Response:
    """Cancel the processing of a document; answer `skipped` if processing had already ended."""
    return JSONResponse({"success" if actions.cancel(web, identity, document_id) else "skipped": True})


@routes.delete("/documents/{document_id}")
def delete(web: TheWeb, identity: Writer, document_id: DocumentId) -> Response:
    """Delete a document."""
    actions.delete(web, identity, document_id)
    return Response(status_code=204)


@routes.get("/documents/{document_id}/text")
def text(web: TheWeb, identity: Reader, document_id: DocumentId, first: str = "", form: TextForm = "plain") -> Response:
    """Return the text by page, plain or as Markdown; pass `next` as `first` for the next pages."""
    start = parse_page_number(first)
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
        pages = load_page_texts(conn, document_id, first=start, limit=_MAX_PAGES)
    end = start + len(pages)
    following = end if end <= (document.page_count or 0) else None
    render = page_markdown if form == "markdown" else _plain_text
    shown = [{"number": page.number, "text": render(page)} for page in pages]
    return JSONResponse({"documentId": str(document_id), "pages": shown, "next": following})


def _plain_text(page: Page) -> str:
    return page.text


@routes.get("/documents/{document_id}/related")
def like_this(web: TheWeb, identity: Reader, document_id: DocumentId, limit: str = "") -> Response:
    """Return the documents most similar to this one."""
    max_count = min(parse_whole_number(limit, "limit") or 5, _MAX_RELATED)
    with web.db.transaction(identity.workspace_id) as conn:
        get_document(conn, document_id)
        found = find_related(conn, document_id, limit=max_count)
    return JSONResponse({"documentId": str(document_id), "hits": [hit_json(hit) for hit in found]})


@routes.get("/search")
def find(web: TheWeb, identity: Reader, asked: SearchParams, limit: str = "", skip: str = "") -> Response:
    """Search documents by words, by meaning or both; return hits and facets."""
    max_count, skipped = parse_whole_number(limit, "limit") or 20, parse_whole_number(skip, "skip") or 0
    meaning = embed_query(web.embedder, asked.typed) if asked.mode != "lexical" else None
    with web.db.transaction(identity.workspace_id) as conn:
        result = search(
            conn,
            asked.typed,
            limit=min(max_count, _MAX_HITS),
            skipped=min(skipped, 10_000),
            mode=asked.mode,
            meaning=meaning,
            filters=asked.filters,
        )
        counts = count_facets(conn, result.documents)
    return JSONResponse({**result_json(result), "facets": facets_json(counts)})


def _upload_status(outcomes: list[UploadResult]) -> int:
    refusals = [outcome.http_status for outcome in outcomes if outcome.http_status]
    if refusals:
        return min(refusals)  # the request itself (413), then a missing store (503), then a full disk (507)
    return 201 if any(outcome.status == "received" for outcome in outcomes) else 200
