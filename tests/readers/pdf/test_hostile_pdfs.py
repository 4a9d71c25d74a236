"""PDF files made to exhaust a reader end in a known state and do not affect the next file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from docyard.model.failures import CATEGORIES
from docyard.model.limits import MEGABYTE, Limits
from docyard.model.stage_values import DocumentChunks
from docyard.pipeline.children import ChildPool
from docyard.pipeline.direct import process_file
from tests.builders.pdf.pdf_bombs import BOMBS
from tests.builders.pdf.pdfs import make_text_pdf

LIMITS = replace(Limits(), child_memory_bytes=1500 * MEGABYTE, stage_seconds=20.0)


@pytest.fixture(scope="module")
def children() -> Iterator[ChildPool]:
    with ChildPool(1, LIMITS) as pool:
        yield pool


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.__name__)
def test_bomb_ends_in_known_state_and_next_file_is_read(
    children: ChildPool, tmp_path: Path, bomb: Callable[[], bytes]
) -> None:
    hostile, honest = tmp_path / "bomb.pdf", tmp_path / "honest.pdf"
    hostile.write_bytes(bomb())
    honest.write_bytes(make_text_pdf(["The honest file after the bomb."]))
    result = process_file(children, LIMITS, hostile)
    if result.failure is not None:
        assert result.failure.message
        assert result.failure.category in CATEGORIES
    read = process_file(children, LIMITS, honest)
    assert read.failure is None
    (chunked,) = [value for value in read.values if isinstance(value, DocumentChunks)]
    assert "honest file" in chunked.chunks[0].text
