"""Loading what a stage needs and saving what it gives; stages themselves never see a connection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager

from docyard.db import Connection
from docyard.errors import NotFound, Reject
from docyard.model.document_types import KnownTypes
from docyard.model.documents import Document
from docyard.model.stages import StageResult
from docyard.model.text.pages import SCAN
from docyard.model.values import (
    Canonicalised,
    Chunked,
    Classified,
    Extracted,
    Fetched,
    Fielded,
    Mentioned,
    Reading,
    Related,
    Source,
    StageValue,
)
from docyard.pipeline.classification import classification_facts, kept_classification
from docyard.pipeline.facts import FACT_LOADERS, counts, save_facts
from docyard.pipeline.road import current
from docyard.store import results
from docyard.store.blobs import FolderBlobs
from docyard.store.documents import add_note, get_document
from docyard.store.types import known_types


@contextmanager
def open_source(blobs: FolderBlobs, document: Document, unlocked: str | None = None) -> Iterator[Source]:
    """The original, readable while inside, and the copy without a password under that key."""
    if document.blob_key is None:
        raise Reject("not_found", "The registry has no stored file for this document.")
    try:
        with ExitStack() as held:
            path = held.enter_context(blobs.local(document.blob_key))
            copy = held.enter_context(blobs.local(unlocked)) if unlocked else None
            yield Source(path, document.name, document.size, document.sha256, copy, document.depth)
    except NotFound as error:
        raise Reject("not_found", str(error)) from error


def load(conn: Connection, document: Document, kinds: Iterable[type[StageValue]]) -> list[StageValue]:
    """The values of these kinds that earlier stages saved."""
    return [_load_one(conn, document, kind) for kind in kinds]


def facts_of(value: StageValue) -> dict[str, object]:
    """The facts to keep with the result of the stage that gave this."""
    match value:
        case Fetched():
            return {"media_type": value.media_type, "size": value.size}
        case Extracted():
            return _page_facts(value)
        case Reading():
            return {"pages": value.pages, "textless": value.textless}
        case Classified():
            return classification_facts(value)
        case Chunked() | Fielded() | Mentioned() | Canonicalised() | Related():
            return counts(value)
        case _:
            raise TypeError(f"{type(value).__name__} is not saved by any stage")


def _page_facts(extracted: Extracted) -> dict[str, object]:
    scans = sum(page.source == SCAN for page in extracted.pages)
    textless = not any(page.text.strip() for page in extracted.pages)
    told: dict[str, object] = {
        "pages": len(extracted.pages),
        "metadata_title": extracted.metadata_title,
        "textless": textless,
    }
    return told | ({"scans": scans} if scans else {})


def save(conn: Connection, document: Document, value: StageValue) -> None:
    """Save a value where it belongs."""
    match value:
        case Fetched():
            results.save_fetched(conn, document.id, value)
        case Extracted():
            results.save_extracted(conn, document.id, document.workspace_id, value)
        case Reading():
            pass  # each page was saved when it was read
        case Classified():
            results.save_classified(conn, document.id, value)
            for note in value.notes:
                add_note(conn, document.id, note)
        case Chunked():
            language = get_document(conn, document.id).language
            results.save_chunks(conn, document.id, document.workspace_id, value.chunks, language)
        case Fielded() | Mentioned() | Canonicalised() | Related():
            save_facts(conn, document, value)
        case _:
            raise TypeError(f"{type(value).__name__} is not saved by any stage")


def _load_one(conn: Connection, document: Document, kind: type[StageValue]) -> StageValue:
    if kind not in _LOADERS:
        raise TypeError(f"{kind.__name__} cannot be loaded")
    return _LOADERS[kind](conn, document)


def _extracted(conn: Connection, document: Document) -> Extracted:
    noted = _facts(current(results.stage_results(conn, document.id)), "extract")
    title = noted.get("metadata_title")
    return Extracted(results.load_pages(conn, document.id), str(title) if title else None)


def _facts(recorded: Iterable[StageResult], stage: str) -> dict[str, object]:
    return next((dict(result.facts) for result in recorded if result.stage == stage), {})


_LOADERS: dict[type[StageValue], Callable[[Connection, Document], StageValue]] = {
    Fetched: lambda _, document: Fetched(
        document.media_type or "", document.size or 0, document.sha256 or ""
    ),
    Extracted: _extracted,
    Classified: lambda conn, document: kept_classification(
        current(results.stage_results(conn, document.id)), document
    ),
    KnownTypes: lambda conn, document: known_types(conn, document.workspace_id),
    **FACT_LOADERS,
}
