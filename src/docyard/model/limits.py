"""The limits of an installation, as one value passed down from the command line."""

from __future__ import annotations

from dataclasses import dataclass

from docyard.model.timeouts import AI_CLASSIFICATION

MEGABYTE = 1024 * 1024
# Maximum number of page images that one web process renders concurrently.
CONCURRENT_RENDERS = 2


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of uploads, stages and child processes, and the OCR engine and embedding model in use."""

    upload_bytes: int = 200 * MEGABYTE
    name_bytes: int = 255
    child_memory_bytes: int = 2048 * MEGABYTE
    stage_seconds: float = 300.0
    child_documents: int = 200  # calls after which a child process is replaced, to limit memory leaks
    text_page_chars: int = 20_000
    pages: int = 10_000
    page_seconds: float = 120.0  # for one page, in stages that run page by page
    turn_seconds: float = 60.0  # after this, a document with many pages yields to others
    ocr_engine: str = "auto"
    embedding_model: str = ""  # folder of a sentence model that replaces the built-in one
    ai_seconds: float = AI_CLASSIFICATION  # for one request to an LLM
    ai_file_bytes: int = 15 * MEGABYTE  # larger image files are not sent to an LLM
    # Unpacking of office documents, archives and messages.
    unpacked_bytes: int = 1024 * MEGABYTE
    unpacked_ratio: int = 500
    part_bytes: int = 256 * MEGABYTE
    archive_members: int = 20_000
    sheet_cells: int = 20_000_000
    # Attachments that become documents: per document, nesting depth, and totals per upload.
    attachments: int = 1_000
    attachment_depth: int = 4
    family_documents: int = 5_000
    family_bytes: int = 4096 * MEGABYTE
