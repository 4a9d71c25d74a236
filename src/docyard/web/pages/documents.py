"""The Documents page: upload, list, and actions on documents."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from docyard.errors import BadInput, Reject
from docyard.store.documents import count_documents, count_types, get_document, list_documents
from docyard.store.folders import folder_names
from docyard.store.tags import list_recent_tags
from docyard.web.actions import documents as actions
from docyard.web.actions.multipart import UploadResult
from docyard.web.actions.uploads import receive_files
from docyard.web.context import TheWeb
from docyard.web.identity import Editor, Fields, Reader, Writer
from docyard.web.inputs import DocumentId, ListFilters, local_path, parse_whole_number
from docyard.web.view.filters import status_filters
from docyard.web.view.notices import Notice, set_notices
from docyard.web.view.templates import render, render_fragment

routes = APIRouter()
PAGE_SIZE = 50


@routes.get("/")
def show_documents(request: Request, web: TheWeb, identity: Reader, asked: ListFilters, below: str = "") -> Response:
    """Show the documents of the workspace, newest first."""
    under = parse_whole_number(below, "below")
    with web.db.transaction(identity.workspace_id) as conn:
        counts = count_documents(conn, identity.workspace_id)
        types = count_types(conn, identity.workspace_id)
        # Load one more than is shown, to find out whether there are older documents.
        found = list_documents(conn, identity.workspace_id, asked, below=under, limit=PAGE_SIZE + 1)
        folders = folder_names(conn, identity.workspace_id)
        suggested = list_recent_tags(conn, identity.workspace_id) if identity.may_edit else []
    shown = found[:PAGE_SIZE]
    return render(
        request,
        "documents.html",
        documents=shown,
        older=shown[-1].seq if len(found) > PAGE_SIZE else None,
        below=below,
        asked=asked,
        types=types,
        known_tags=suggested,
        folders=folders,
        filters=status_filters(counts, asked.status),
        limit=web.limits.upload_bytes,
    )


@routes.get("/documents")
def go_to_documents() -> Response:
    """Redirect to the list, for browsers that open the URL of the upload form."""
    return RedirectResponse("/", 303)


@routes.post("/documents")
async def upload(request: Request, web: TheWeb, identity: Editor) -> Response:
    """Receive files from the HTML form and redirect to the list with a notice for each file."""
    outcomes = await receive_files(request, web, identity, "upload")
    response = RedirectResponse("/", 303)
    set_notices(response, [_make_notice(outcome) for outcome in outcomes])
    return response


@routes.get("/documents/counts")
def show_counts(web: TheWeb, identity: Reader, asked: ListFilters) -> Response:
    """Return only the filter bar, for live updates."""
    with web.db.transaction(identity.workspace_id) as conn:
        counts = count_documents(conn, identity.workspace_id)
    return render_fragment("filters.html", filters=status_filters(counts, asked.status), asked=asked)


@routes.get("/documents/{document_id}/row")
def show_row(web: TheWeb, identity: Reader, document_id: DocumentId) -> Response:
    """Return one row of the list, for live updates."""
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
    return render_fragment("row.html", document=document, identity=identity, back="/")


@routes.post("/documents/{document_id}/retry")
def retry(web: TheWeb, identity: Writer, document_id: DocumentId, fields: Fields) -> Response:
    """Queue a document again."""
    job = actions.retry(web, identity, document_id)
    response = RedirectResponse(local_path(fields.get("back"), f"/documents/{document_id}"), 303)
    set_notices(response, [Notice("good", "Document queued again.") if job else Notice("info", "Nothing to retry.")])
    return response


@routes.post("/documents/{document_id}/reprocess")
def reprocess(web: TheWeb, identity: Writer, document_id: DocumentId, fields: Fields) -> Response:
    """Process a finished document again from its file."""
    actions.reprocess(web, identity, document_id)
    response = RedirectResponse(local_path(fields.get("back"), f"/documents/{document_id}"), 303)
    set_notices(response, [Notice("good", "Document queued again.")])
    return response


@routes.post("/documents/{document_id}/unlock")
def unlock(web: TheWeb, identity: Writer, document_id: DocumentId, fields: Fields) -> Response:
    """Unlock a document with its password."""
    response = RedirectResponse(f"/documents/{document_id}", 303)
    try:
        actions.unlock(web, identity, document_id, fields.get("password", ""))
        set_notices(response, [Notice("good", "Document unlocked and queued again.")])
    except (Reject, BadInput) as error:
        set_notices(response, [Notice("bad", str(error))])
    return response


@routes.post("/documents/{document_id}/cancel")
def cancel(web: TheWeb, identity: Writer, document_id: DocumentId, fields: Fields) -> Response:
    """Cancel the processing of a document."""
    cancelled = actions.cancel(web, identity, document_id)
    response = RedirectResponse(local_path(fields.get("back"), f"/documents/{document_id}"), 303)
    words = "Processing cancelled. Choose Retry processing to continue."
    notice = Notice("good", words) if cancelled else Notice("info", "Processing had already ended.")
    set_notices(response, [notice])
    return response


@routes.get("/documents/{document_id}/delete")
def confirm_delete(request: Request, web: TheWeb, identity: Editor, document_id: DocumentId) -> Response:
    """Ask for confirmation before deleting, in browsers without JavaScript."""
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
    return render(request, "delete.html", document=document)


@routes.post("/documents/{document_id}/delete")
def delete(web: TheWeb, identity: Writer, document_id: DocumentId) -> Response:
    """Delete a document."""
    document = actions.delete(web, identity, document_id)
    response = RedirectResponse("/", 303)
    set_notices(response, [Notice("good", f"{document.name} deleted.")])
    return response


@routes.post("/documents/{document_id}/folder")
def move(web: TheWeb, identity: Writer, document_id: DocumentId, fields: Fields) -> Response:
    """Move a document to the named folder; an empty name removes it from its folder."""
    response = RedirectResponse(f"/documents/{document_id}", 303)
    name = " ".join(fields.get("folder", "").split())
    try:
        folder = actions.move(web, identity, document_id, name)
        words = f"Moved to the folder {name}." if folder else "Removed from its folder."
        set_notices(response, [Notice("good", words)])
    except BadInput as error:
        set_notices(response, [Notice("bad", str(error))])
    return response


def _make_notice(outcome: UploadResult) -> Notice:
    """Return a notice about the upload of one file."""
    link = f"/documents/{outcome.document_id}"
    if outcome.status == "received":
        return Notice("good", f"{outcome.name} uploaded.", link, "Open")
    if outcome.status == "duplicate":
        return Notice("info", f"{outcome.name} already exists as {outcome.existing_name}.", link, "Open")
    return Notice("bad", f"{outcome.name} was refused: {outcome.reason}")
