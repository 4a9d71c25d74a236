"""API for the folders of a workspace."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from docyard import log
from docyard.store.folders import ensure_folder, list_folders, remove_folder, rename_folder
from docyard.web.actions import documents as actions
from docyard.web.context import TheWeb
from docyard.web.identity import Fields, Reader, Writer
from docyard.web.inputs import DocumentId, FolderId

routes = APIRouter()


@routes.get("/api/v1/folders")
def list_all(web: TheWeb, identity: Reader) -> Response:
    """Return the folders of the workspace, sorted by name, each with its number of documents."""
    with web.db.transaction(identity.workspace_id) as conn:
        found = list_folders(conn, identity.workspace_id)
    shown = [
        {"id": str(each.id), "name": each.name, "documents": each.documents, "createdAt": each.created_at.isoformat()}
        for each in found
    ]
    return JSONResponse({"folders": shown})


@routes.post("/api/v1/folders")
def add(web: TheWeb, identity: Writer, fields: Fields) -> Response:
    """Create a folder with the name in the form field `name`; answer 200 if it already exists."""
    with web.db.transaction(identity.workspace_id) as conn:
        folder, created = ensure_folder(conn, identity.workspace_id, fields.get("name", ""))
    log.event("folder_created", folder=folder, created=created, user=identity.user_id)
    return JSONResponse({"id": str(folder)}, 201 if created else 200)


@routes.patch("/api/v1/folders/{folder_id}")
def rename(web: TheWeb, identity: Writer, folder_id: FolderId, fields: Fields) -> Response:
    """Rename a folder to the name in the form field `name`."""
    with web.db.transaction(identity.workspace_id) as conn:
        rename_folder(conn, identity.workspace_id, folder_id, fields.get("name", ""))
    log.event("folder_renamed", folder=folder_id, user=identity.user_id)
    return JSONResponse({"success": True})


@routes.delete("/api/v1/folders/{folder_id}")
def remove(web: TheWeb, identity: Writer, folder_id: FolderId) -> Response:
    """Remove a folder; its documents remain, without a folder."""
    with web.db.transaction(identity.workspace_id) as conn:
        remove_folder(conn, identity.workspace_id, folder_id)
    log.event("folder_removed", folder=folder_id, user=identity.user_id)
    return Response(status_code=204)


@routes.post("/api/v1/documents/{document_id}/folder")
def move(web: TheWeb, identity: Writer, document_id: DocumentId, fields: Fields) -> Response:
    """Move a document to the folder named in the form field `folder`, or out of its folder if the field is empty."""
    folder = actions.move(web, identity, document_id, fields.get("folder", ""))
    return JSONResponse({"success": True, "folderId": str(folder) if folder else None})
