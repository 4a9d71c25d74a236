"""The connection and the page image that LLM stages need in addition to the values of other stages."""

from __future__ import annotations

from docyard import log
from docyard.db import Database
from docyard.errors import Failure, NotFound, Reject, Retry
from docyard.model.connections import LlmConnection
from docyard.model.documents import Document
from docyard.model.jobs import Lease
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import ExtractedText, PageImage, Source
from docyard.model.timeouts import RENDER
from docyard.pipeline.children import ChildPool
from docyard.pipeline.children.tasks import draw_first_page
from docyard.pipeline.stage_order import get_skip_reason
from docyard.readers.image_types import IMAGE_TYPES
from docyard.store.connections import find_classifier, load_connection
from docyard.store.key_encryption import DecryptionFailed, KeyCipher


def raise_if_skipped(lease: Lease) -> None:
    """Raise Reject if upkeep decided to skip the LLM because it was unavailable for too long."""
    reason = get_skip_reason(lease.payload)
    if reason is not None:
        raise Reject("timeout", f"The AI model was unavailable for too long: {reason}")


def load_classifier(db: Database, cipher: KeyCipher | None, document: Document) -> LlmConnection:
    """Return the connection that classifies this document, with its decrypted API key.

    Raises Reject if the key cannot be decrypted, and Retry if the connection was removed.
    """
    if cipher is None:
        raise Reject(
            "not_installed", "This worker cannot decrypt the API keys of AI connections: set DOCYARD_SECRET_KEY for it."
        )
    try:
        with db.transaction() as conn:
            chosen = find_classifier(conn, document.workspace_id)
            if chosen is not None:
                return load_connection(conn, document.workspace_id, chosen, cipher)
    except DecryptionFailed as error:
        raise Reject("ai_unauthorized", str(error)) from None
    except NotFound:
        pass
    raise Retry("internal", "The AI connection was removed while the document was waiting for it.")


def render_page_image(children: ChildPool, document: Document, values: list[StageValue], key: object) -> PageImage:
    """Render the first page of an image or of a PDF without text.

    Returns an empty PageImage for other documents, or if rendering fails.
    """
    (source,) = (value for value in values if isinstance(value, Source))
    (extracted,) = (value for value in values if isinstance(value, ExtractedText))
    media_type = document.media_type or ""
    textless = not any(page.text.strip() for page in extracted.pages)
    if media_type not in IMAGE_TYPES and not (textless and media_type == "application/pdf"):
        return PageImage()
    try:
        path = source.unlocked or source.path
        return PageImage(children.call(draw_first_page, path, media_type, seconds=RENDER, key=key))
    except Failure as failure:
        if failure.category == "worker_lost":
            raise
        log.warn("page_not_drawn", document=document.id, category=failure.category)
        return PageImage()  # the stage runs without an image
