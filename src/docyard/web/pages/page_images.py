"""Page images, rendered in a child process on the first request and then stored."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from docyard import log
from docyard.errors import NotFound, Retry, StorageFull, StoreUnavailable
from docyard.model.documents import Document
from docyard.model.timeouts import RENDER
from docyard.pipeline.children.tasks import render_page
from docyard.pipeline.unlocked_copies import find_unlocked_key
from docyard.readers.image_types import IMAGE_TYPES
from docyard.store.documents import get_document
from docyard.store.renditions import find_rendition, save_rendition
from docyard.web.context import TheWeb, Web
from docyard.web.identity import Reader
from docyard.web.inputs import DocumentId, parse_page_number

routes = APIRouter()
WIDTH = 1400  # pixels; sharp in one column of a high-density screen
_KIND = f"page-{WIDTH}"
_MEDIA_TYPE = "image/png"
# An image never changes, but browsers must revalidate it, because the user may have lost access.
_CACHING = "private, no-cache"
_SLOT_TIMEOUT = 5.0  # seconds
_slots = threading.Semaphore(8)  # concurrent renderings


def has_page_images(document: Document) -> bool:
    """Return whether pages of this document can be rendered as images."""
    return document.media_type == "application/pdf" or document.media_type in IMAGE_TYPES


@routes.get("/documents/{document_id}/pages/{number}.png")
def show_picture(request: Request, web: TheWeb, identity: Reader, document_id: DocumentId, number: str) -> Response:
    """Return the image of one page."""
    page = parse_page_number(number)
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
        stored = find_rendition(conn, document_id, kind=_KIND, page=page)
        unlocked = find_unlocked_key(conn, document)
    _require_page(document, page)
    tag = f'"{document.sha256}-{_KIND}-{page}"'
    headers = {"ETag": tag, "Cache-Control": _CACHING}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    data = _read(web, stored) if stored else None
    return Response(data or _render(web, document, unlocked, page), media_type=_MEDIA_TYPE, headers=headers)


def _require_page(document: Document, page: int) -> None:
    if not has_page_images(document) or not document.blob_key or page > (document.page_count or 1):
        raise NotFound("There is no image of this page.")


def _read(web: Web, key: str) -> bytes | None:
    if not web.blobs.exists(key):
        return None
    with web.blobs.open_path(key) as path:
        return path.read_bytes()


@contextmanager
def _slot() -> Iterator[None]:
    """Wait for a rendering slot; slots keep renderings from blocking all threads of the web server."""
    if not _slots.acquire(timeout=_SLOT_TIMEOUT):
        raise Retry("timeout", "Too many page images are being rendered. Please try again in a moment.")
    try:
        yield
    finally:
        _slots.release()


def _render(web: Web, document: Document, unlocked: str | None, page: int) -> bytes:
    """Render a page outside any transaction, store the image and return it."""
    with web.blobs.open_path(unlocked or document.blob_key or "") as path, _slot():
        data = web.children.call(render_page, path, document.media_type or "", page, WIDTH, seconds=RENDER)
    try:
        key = web.blobs.put(document.workspace_id, data)
    except (StorageFull, StoreUnavailable) as error:
        log.warn("page_image_not_stored", document=document.id, error=str(error))
        return data  # rendered again at the next request
    with web.db.transaction(document.workspace_id) as conn:
        save_rendition(
            conn, document.id, document.workspace_id, kind=_KIND, page=page, blob_key=key, media_type=_MEDIA_TYPE
        )
    return data
