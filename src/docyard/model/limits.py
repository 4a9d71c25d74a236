"""The limits of one installation, as one value handed down from the entry point."""

from __future__ import annotations

from dataclasses import dataclass

from docyard.model.timeouts import AI_CLASSIFICATION

MEGABYTE = 1024 * 1024
# Pages that one web process draws at a time; none is kept in memory, so there is no cache to bound.
PICTURES_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one upload or one stage may take, and with which of several engines."""

    upload_bytes: int = 200 * MEGABYTE
    name_bytes: int = 255
    child_memory_bytes: int = 2048 * MEGABYTE
    stage_seconds: float = 300.0
    child_documents: int = 200  # then the child is replaced, so that a slow leak never grows
    text_page_chars: int = 20_000
    pages: int = 10_000
    page_seconds: float = 120.0  # for one page, where a stage runs page by page
    turn_seconds: float = 60.0  # then a document with many pages waits while others have their turn
    ocr_engine: str = "auto"
    embedding_model: str = ""  # folder of another sentence model than the package's
    ai_seconds: float = AI_CLASSIFICATION  # for one question to a language model
    ai_file_bytes: int = 15 * MEGABYTE  # a larger file is not shown to one
    # What is packed inside a file: an office document, an archive, a message.
    unpacked_bytes: int = 1024 * MEGABYTE
    unpacked_ratio: int = 500
    part_bytes: int = 256 * MEGABYTE
    archive_members: int = 20_000
    sheet_cells: int = 20_000_000
    # What is found inside a document and becomes documents: of one, how deep, and of all from one upload.
    attachments: int = 1_000
    attachment_depth: int = 4
    family_documents: int = 5_000
    family_bytes: int = 4096 * MEGABYTE
