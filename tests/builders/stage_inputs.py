"""Stage inputs for tests."""

from __future__ import annotations

from pathlib import Path

from docyard.model.document_types import WorkspaceTypes
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import ExtractedText, FetchedFile, Source
from docyard.model.stages import StageInput
from docyard.model.text.pages import Page


def make_source(folder: Path, content: bytes, name: str = "a file") -> Source:
    """Return a stored file with this content; its name is independent of its path."""
    path = folder / "blob"
    path.write_bytes(content)
    return Source(path, name, len(content), None)


def make_input(*values: StageValue, limits: Limits | None = None) -> StageInput:
    """Return a stage input with these values, the default types, and the default limits if none are given."""
    return StageInput((WorkspaceTypes(), *values), limits or Limits())


def make_fetched(media_type: str) -> FetchedFile:
    """Return the result of fetching a file of this type."""
    return FetchedFile(media_type, 1, "0" * 64)


def make_extracted(*texts: str, title: str | None = None) -> ExtractedText:
    """Return an extracted document with one page for each text."""
    return ExtractedText(tuple(Page(number, text) for number, text in enumerate(texts, start=1)), title)
