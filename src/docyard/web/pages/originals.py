"""The original file, unchanged, as a download that no browser will run."""

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
_AT_ONCE = 256 * 1024
# Types that carry no script of their own; anything else is only bytes.
_SAFE_TYPES = (
    "application/pdf",
    "image/gif",
    "image/jpeg",
    "image/png",
    "image/tiff",
    "image/webp",
    "text/plain",
)


@routes.get("/documents/{document_id}/original")
def download(web: TheWeb, identity: Reader, document_id: DocumentId) -> Response:
    """The bytes as they arrived, under the name they arrived with."""
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
    key = document.blob_key
    if not key or not web.blobs.exists(key):
        raise NotFound("The original of this document is not here (yet).")
    with web.blobs.local(key) as path:
        length = path.stat().st_size
    headers = {
        "Content-Disposition": disposition(document.name),
        "Content-Length": str(length),
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Cache-Control": "private, no-store",
    }
    kind = document.media_type if document.media_type in _SAFE_TYPES else "application/octet-stream"
    response = StreamingResponse(_pieces(web, key), headers=headers)
    response.headers["Content-Type"] = kind  # without the charset that the framework would guess for text
    return response


def disposition(name: str) -> str:
    """The name for every browser: plain letters for the old, all of it for the rest (RFC 5987)."""
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '"\\%/' else "_" for c in name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _pieces(web: Web, key: str) -> Iterator[bytes]:
    with web.blobs.local(key) as path, path.open("rb") as file:
        while data := file.read(_AT_ONCE):
            yield data
