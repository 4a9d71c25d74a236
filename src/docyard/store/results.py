"""Stage results, pages, chunks and attempts of documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from uuid import UUID

from psycopg.types.json import Jsonb

from docyard.db import Connection, Queries
from docyard.errors import NotFound
from docyard.model.documents import Attempt
from docyard.model.jobs import Lease
from docyard.model.stage_values import Chunk, Classification, ExtractedText, FetchedFile
from docyard.model.stages import StageResult
from docyard.model.text.pages import SCAN, Page

_SQL = Queries("docyard.store", "results.sql")
_DOCUMENTS = Queries("docyard.store", "documents.sql")

_SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))  # the white space of PostgreSQL depends on the locale
_PAGE_TYPES = ("uuid", "uuid", "int4", "text", "float4", "float4", "bytea", "bytea", "text", "bytea")


def save_result(conn: Connection, lease: Lease, result: StageResult, *, seconds: float) -> None:
    """Save the result of a stage, with the lease under which it ran."""
    params = {
        "document_id": lease.document_id,
        "workspace_id": lease.workspace_id,
        "stage": result.stage,
        "version": result.version,
        "outcome": result.outcome,
        "facts": Jsonb(result.facts),
        "job_id": lease.job_id,
        "fence": lease.fence,
        "worker_id": lease.ran_by,
        "seconds": seconds,
    }
    conn.execute(_SQL["save_result"], params)


def load_stage_results(conn: Connection, document_id: UUID) -> list[StageResult]:
    """Return the stage results of a document in the order in which they finished."""
    return [StageResult(**row) for row in conn.execute(_SQL["load_stage_results"], {"document_id": document_id})]


def load_results_by_document(conn: Connection, document_ids: Sequence[UUID]) -> dict[UUID, list[StageResult]]:
    """Return the stage results of each document in the order in which they finished."""
    found: dict[UUID, list[StageResult]] = {document_id: [] for document_id in document_ids}
    for row in conn.execute(_SQL["load_results_by_document"], {"document_ids": list(document_ids)}):
        found[row.pop("document_id")].append(StageResult(**row))
    return found


def delete_results(conn: Connection, stages: Iterable[tuple[UUID, str]]) -> None:
    """Delete stage results of several documents, so that these stages run again."""
    pairs = list(stages)
    params = {"document_ids": [each for each, _ in pairs], "stages": [stage for _, stage in pairs]}
    conn.execute(_SQL["delete_results"], params)


def delete_stages(conn: Connection, document_id: UUID, stages: Sequence[str]) -> None:
    """Delete stage results of a document, so that these stages run again."""
    conn.execute(_SQL["delete_stages"], {"document_id": document_id, "stages": list(stages)})


def save_fetched(conn: Connection, document_id: UUID, fetched: FetchedFile) -> None:
    """Save the detected media type, size and hash of a document's file."""
    params = {"id": document_id, "media_type": fetched.media_type, "size": fetched.size, "sha256": fetched.sha256}
    conn.execute(_DOCUMENTS["save_fetched"], params)


def save_classified(conn: Connection, document_id: UUID, classified: Classification) -> None:
    """Save the classification of a document."""
    params = {
        "id": document_id,
        "title": classified.title,
        "language": classified.language,
        "type": classified.type,
        "type_confidence": classified.type_confidence if classified.type else None,
        "summary": classified.summary,
        "date": classified.date,
        "tags": list(classified.tags),
    }
    conn.execute(_DOCUMENTS["save_classified"], params)


def save_extracted(conn: Connection, document_id: UUID, workspace_id: UUID, extracted: ExtractedText) -> None:
    """Replace the pages, page count and notes of a document."""
    pages = extracted.pages
    of = {"document_id": document_id, "workspace_id": workspace_id}
    conn.execute(_SQL["drop_pages"], of)
    with conn.cursor() as cursor, cursor.copy(_SQL["save_pages"]) as stream:
        stream.set_types(_PAGE_TYPES)
        for page in pages:
            # The columns are in the order of Page's fields.
            stream.write_row((document_id, workspace_id, *_as_dict(page).values()))
    params = {"id": document_id, "page_count": len(pages), "notes": list(extracted.notes)}
    conn.execute(_DOCUMENTS["save_page_count"], params)


def save_ocr_page(conn: Connection, document_id: UUID, page: Page) -> None:
    """Update the text, words and blocks of one page after OCR."""
    conn.execute(_SQL["save_ocr_page"], {"document_id": document_id, **_as_dict(page)})


def load_pages(conn: Connection, document_id: UUID) -> tuple[Page, ...]:
    """Return the pages of a document in order."""
    return tuple(Page(**row) for row in conn.execute(_SQL["load_pages"], {"document_id": document_id}))


def load_page(conn: Connection, document_id: UUID, number: int) -> Page:
    """Return one page; raise NotFound if it does not exist."""
    row = conn.execute(_SQL["load_page"], {"document_id": document_id, "number": number}).fetchone()
    if row is None:
        raise NotFound("There is no such page.")
    return Page(**row)


def load_page_texts(conn: Connection, document_id: UUID, *, first: int, limit: int) -> list[Page]:
    """Return at most `limit` pages from page `first`, without the bounding boxes of their words."""
    params = {"document_id": document_id, "first": first, "limit": limit}
    return [Page(**row) for row in conn.execute(_SQL["load_page_texts"], params)]


def load_reading_state(conn: Connection, document_id: UUID) -> tuple[list[int], bool]:
    """Return the numbers of the pages that OCR has not read, and whether any page has text.

    The answer is small, so a caller that has locked rows keeps them only briefly, even if it is suspended.
    """
    params = {"document_id": document_id, "scan": SCAN, "spaces": _SPACES}
    row = conn.execute(_SQL["load_reading_state"], params).fetchone()
    return (row["unread"], row["has_text"]) if row else ([], False)


def save_chunks(
    conn: Connection, document_id: UUID, workspace_id: UUID, chunks: Sequence[Chunk], language: str | None
) -> None:
    """Replace the chunks of a document, and record the changes in word counts."""
    of = {"document_id": document_id, "workspace_id": workspace_id, "language": language}
    conn.execute(_SQL["drop_chunks"], of)
    columns = {
        "ordinals": [chunk.ordinal for chunk in chunks],
        "numbers": [chunk.page for chunk in chunks],
        "starts": [chunk.start for chunk in chunks],
        "ends": [chunk.end for chunk in chunks],
        "texts": [chunk.text for chunk in chunks],
        "headings": [chunk.heading for chunk in chunks],
    }
    if chunks:
        conn.execute(_SQL["save_chunks"], {**of, **columns})


def _as_dict(page: Page) -> dict[str, object]:
    return {field.name: getattr(page, field.name) for field in fields(page)}


def list_attempts(conn: Connection, document_id: UUID) -> list[Attempt]:
    """Return the recorded attempts at a document, oldest first."""
    return [Attempt(**row) for row in conn.execute(_SQL["list_attempts"], {"document_id": document_id})]
