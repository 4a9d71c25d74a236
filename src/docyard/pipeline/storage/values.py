"""Loading of stage inputs and saving of stage outputs; stages themselves have no database connection.

Values of types without an entry in `_STORAGE` are stored as JSON in the result of their stage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

from docyard.db import Connection
from docyard.errors import NotFound, Reject
from docyard.model.document_types import WorkspaceTypes
from docyard.model.documents import Document
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import Classification, DocumentChunks, ExtractedText, FetchedFile, OcrProgress, Source
from docyard.model.text.pages import SCAN
from docyard.pipeline.stage_order import filter_current
from docyard.pipeline.storage.classification import get_classification, make_classification_facts
from docyard.pipeline.storage.facts import FACT_STORAGE
from docyard.pipeline.storage.storage_types import Storage, make_result_storage, save_nothing
from docyard.store import results
from docyard.store.blobs import FolderBlobs
from docyard.store.document_types import load_types
from docyard.store.documents import add_note, get_document


@contextmanager
def open_source(blobs: FolderBlobs, document: Document, unlocked: str | None = None) -> Iterator[Source]:
    """Open the original and, if its blob key `unlocked` is given, the copy without password."""
    if document.blob_key is None:
        raise Reject("not_found", "No file is stored for this document.")
    try:
        with ExitStack() as stack:
            path = stack.enter_context(blobs.open_path(document.blob_key))
            copy = stack.enter_context(blobs.open_path(unlocked)) if unlocked else None
            yield Source(path, document.name, document.size, document.sha256, copy, document.depth)
    except NotFound as error:
        raise Reject("not_found", str(error)) from error


def load(conn: Connection, document: Document, kinds: Iterable[type[StageValue]]) -> list[StageValue]:
    """Return the stored value of each of these types."""
    return [_get_storage(kind).load(conn, document) for kind in kinds]


def make_facts(value: StageValue) -> dict[str, object]:
    """Return the facts of a value that are saved with its stage result."""
    return _get_storage(type(value)).facts(value)


def save(conn: Connection, document: Document, value: StageValue) -> None:
    """Save a value in the storage of its type."""
    _get_storage(type(value)).save(conn, document, value)


def _get_storage(kind: type) -> Storage:
    return _STORAGE.get(kind) or make_result_storage(kind)


def _load_fetched(_: Connection, document: Document) -> FetchedFile:
    return FetchedFile(document.media_type or "", document.size or 0, document.sha256 or "")


def _save_extracted(conn: Connection, document: Document, value: ExtractedText) -> None:
    results.save_extracted(conn, document.id, document.workspace_id, value)


def _load_extracted(conn: Connection, document: Document) -> ExtractedText:
    recorded = filter_current(results.load_stage_results(conn, document.id))
    facts = next((result.facts for result in recorded if result.stage == "extract"), {})
    title = facts.get("metadata_title")
    return ExtractedText(results.load_pages(conn, document.id), str(title) if title else None)


def _make_page_facts(extracted: ExtractedText) -> dict[str, object]:
    scans = sum(page.source == SCAN for page in extracted.pages)
    textless = not any(page.text.strip() for page in extracted.pages)
    facts: dict[str, object] = {
        "pages": len(extracted.pages),
        "metadata_title": extracted.metadata_title,
        "textless": textless,
    }
    return facts | ({"scans": scans} if scans else {})


def _save_classified(conn: Connection, document: Document, value: Classification) -> None:
    results.save_classified(conn, document.id, value)
    for note in value.notes:
        add_note(conn, document.id, note)


def _load_classified(conn: Connection, document: Document) -> Classification:
    return get_classification(filter_current(results.load_stage_results(conn, document.id)), document)


def _save_chunked(conn: Connection, document: Document, value: DocumentChunks) -> None:
    language = get_document(conn, document.id).language
    results.save_chunks(conn, document.id, document.workspace_id, value.chunks, language)


_STORAGE: dict[type[StageValue], Storage] = {
    FetchedFile: Storage(
        facts=lambda value: {"media_type": value.media_type, "size": value.size},
        save=lambda conn, document, value: results.save_fetched(conn, document.id, value),
        load=_load_fetched,
    ),
    ExtractedText: Storage(facts=_make_page_facts, save=_save_extracted, load=_load_extracted),
    # Each page was saved while the stage ran.
    OcrProgress: Storage(facts=lambda value: {"pages": value.pages, "textless": value.textless}, save=save_nothing),
    Classification: Storage(facts=make_classification_facts, save=_save_classified, load=_load_classified),
    DocumentChunks: Storage(facts=lambda value: {"chunks": len(value.chunks)}, save=_save_chunked),
    # Comes from the workspace, not from a stage.
    WorkspaceTypes: Storage(load=lambda conn, document: load_types(conn, document.workspace_id)),
    **FACT_STORAGE,
}
