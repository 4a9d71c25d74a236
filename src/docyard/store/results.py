"""What the stages gave: results by stage and version, pages, chunks, and the trace of every attempt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from uuid import UUID

from psycopg.types.json import Jsonb

from docyard.db import Connection, Queries
from docyard.errors import NotFound
from docyard.model.documents import Attempt
from docyard.model.jobs import Lease
from docyard.model.stages import StageResult
from docyard.model.text.pages import Page
from docyard.model.values import Chunk, Classified, Extracted, Fetched

_SQL = Queries("docyard.store", "results.sql")
_DOCUMENTS = Queries("docyard.store", "documents.sql")

_PAGE_TYPES = ("uuid", "uuid", "int4", "text", "float4", "float4", "bytea", "bytea", "text", "bytea")


def save_result(conn: Connection, lease: Lease, result: StageResult, *, seconds: float) -> None:
    """Record that a stage has taken effect under this lease."""
    given = {
        "document_id": lease.document_id,
        "workspace_id": lease.workspace_id,
        "stage": result.stage,
        "version": result.version,
        "outcome": result.outcome,
        "facts": Jsonb(result.facts),
        "job_id": lease.job_id,
        "fence": lease.fence,
        "worker_id": lease.worker_id,
        "seconds": seconds,
    }
    conn.execute(_SQL["save_result"], given)


def stage_results(conn: Connection, document_id: UUID) -> list[StageResult]:
    """What the stages of a document have come to so far, in order."""
    return [StageResult(**row) for row in conn.execute(_SQL["stage_results"], {"document_id": document_id})]


def results_of_documents(conn: Connection, document_ids: Sequence[UUID]) -> dict[UUID, list[StageResult]]:
    """What the stages of several documents have come to so far, in order."""
    found: dict[UUID, list[StageResult]] = {document_id: [] for document_id in document_ids}
    for row in conn.execute(_SQL["results_of_documents"], {"document_ids": list(document_ids)}):
        found[row.pop("document_id")].append(StageResult(**row))
    return found


def forget_results(conn: Connection, stages: Iterable[tuple[UUID, str]]) -> None:
    """Let stages of several documents run again."""
    pairs = list(stages)
    given = {"document_ids": [each for each, _ in pairs], "stages": [stage for _, stage in pairs]}
    conn.execute(_SQL["forget_results"], given)


def forget_stages(conn: Connection, document_id: UUID, stages: Sequence[str]) -> None:
    """Let these stages run again."""
    conn.execute(_SQL["forget_stages"], {"document_id": document_id, "stages": list(stages)})


def save_fetched(conn: Connection, document_id: UUID, fetched: Fetched) -> None:
    """Keep what the bytes turned out to be."""
    given = {
        "id": document_id,
        "media_type": fetched.media_type,
        "size": fetched.size,
        "sha256": fetched.sha256,
    }
    conn.execute(_DOCUMENTS["save_fetched"], given)


def save_classified(conn: Connection, document_id: UUID, classified: Classified) -> None:
    """Keep what kind of document it is."""
    given = {
        "id": document_id,
        "title": classified.title,
        "language": classified.language,
        "type": classified.type,
        "type_confidence": classified.type_confidence if classified.type else None,
        "summary": classified.summary,
        "date": classified.date,
        "tags": list(classified.tags),
    }
    conn.execute(_DOCUMENTS["save_classified"], given)


def save_extracted(conn: Connection, document_id: UUID, workspace_id: UUID, extracted: Extracted) -> None:
    """Replace the pages of a document."""
    pages = extracted.pages
    of = {"document_id": document_id, "workspace_id": workspace_id}
    conn.execute(_SQL["drop_pages"], of)
    with conn.cursor() as cursor, cursor.copy(_SQL["save_pages"]) as stream:
        stream.set_types(_PAGE_TYPES)
        for page in pages:
            # In the order of its fields, which is that of the columns.
            stream.write_row((document_id, workspace_id, *_named(page).values()))
    given = {"id": document_id, "page_count": len(pages), "notes": list(extracted.notes)}
    conn.execute(_DOCUMENTS["save_page_count"], given)


def save_read_page(conn: Connection, document_id: UUID, page: Page) -> None:
    """Keep what was read of one page."""
    conn.execute(_SQL["save_read_page"], {"document_id": document_id, **_named(page)})


def load_pages(conn: Connection, document_id: UUID) -> tuple[Page, ...]:
    """The pages of a document in order."""
    return tuple(Page(**row) for row in conn.execute(_SQL["load_pages"], {"document_id": document_id}))


def load_page(conn: Connection, document_id: UUID, number: int) -> Page:
    """One page, or NotFound."""
    row = conn.execute(_SQL["load_page"], {"document_id": document_id, "number": number}).fetchone()
    if row is None:
        raise NotFound("There is no such page.")
    return Page(**row)


def page_texts(conn: Connection, document_id: UUID, *, first: int, most: int) -> list[Page]:
    """Some pages, for whoever needs no boxes."""
    given = {"document_id": document_id, "first": first, "most": most}
    return [Page(**row) for row in conn.execute(_SQL["page_texts"], given)]


def save_chunks(
    conn: Connection, document_id: UUID, workspace_id: UUID, chunks: Sequence[Chunk], language: str | None
) -> None:
    """Replace the chunks of a document; what that changes in the counts of words is noted beside them."""
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


def _named(value: Page) -> dict[str, object]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def attempts(conn: Connection, document_id: UUID) -> list[Attempt]:
    """Every try at a document that left a trace, oldest first."""
    return [Attempt(**row) for row in conn.execute(_SQL["attempts"], {"document_id": document_id})]
