"""File reading through the stages: the type is detected from the content, then its reader runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText
from docyard.stages import extract, fetch
from tests.builders.stage_inputs import make_input, make_source


def read_file(
    folder: Path, content: bytes, name: str = "a file", *, limits: Limits | None = None, depth: int = 0
) -> ExtractedText:
    """Return the result of the stages `fetch` and `extract` for a file with this content."""
    stored = replace(make_source(folder, content, name), depth=depth)
    fetched = fetch.run(make_input(stored, limits=limits))
    return extract.run(make_input(stored, fetched, limits=limits))


def read_text(folder: Path, content: bytes, name: str = "a file") -> str:
    """Return the text of a file that must have one page."""
    (page,) = read_file(folder, content, name).pages
    return page.text


def read_rejection(folder: Path, content: bytes, *, limits: Limits | None = None) -> tuple[str, str]:
    """Return the category and message with which a file is rejected."""
    with pytest.raises(Reject) as caught:
        read_file(folder, content, limits=limits)
    return caught.value.category, caught.value.message
