"""Downloads of original files, with headers that prevent browsers from running them."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from fastapi import APIRouter
from starlette.responses import Response, StreamingResponse

from docyard.errors import NotFound
from docyard.store.documents import get_document
from docyard.web.context import TheWeb, Web
from docyard.web.identity import Reader
from docyard.web.inputs import DocumentId

routes = APIRouter()
_CHUNK_BYTES = 256 * 1024
# Types that browsers can display safely; others are sent as application/octet-stream.
_SAFE_TYPES = ("application/pdf", "image/gif", "image/jpeg", "image/png", "image/tiff", "image/webp", "text/plain")


@routes.get("/documents/{document_id}/original")
def download(web: TheWeb, identity: Reader, document_id: DocumentId) -> Response:
    """Return the original file under its original name."""
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
    key = document.blob_key
    if not key or not web.blobs.exists(key):
        raise NotFound("The original file of this document is not available.")
    with web.blobs.open_path(key) as path:
        length = path.stat().st_size
    headers = {
        "Content-Disposition": disposition(document.name),
        "Content-Length": str(length),
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Cache-Control": "private, no-store",
    }
    kind = document.media_type if document.media_type in _SAFE_TYPES else "application/octet-stream"
    response = StreamingResponse(_chunks(web, key), headers=headers)
    response.headers["Content-Type"] = kind  # without the charset that Starlette adds for text
    return response


def disposition(name: str) -> str:
    """Return a Content-Disposition header with an ASCII name and the full name (RFC 5987)."""
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '"\\%/' else "_" for c in name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _chunks(web: Web, key: str) -> Iterator[bytes]:
    with web.blobs.open_path(key) as path, path.open("rb") as file:
        while data := file.read(_CHUNK_BYTES):
            yield data
