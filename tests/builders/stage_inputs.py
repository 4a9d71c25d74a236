"""Stage inputs for tests."""

from __future__ import annotations

from pathlib import Path

from docyard.model.document_types import KnownTypes
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import Extracted, Fetched, Source
from docyard.model.stages import Given
from docyard.model.text.pages import Page


def source(folder: Path, content: bytes, name: str = "a file") -> Source:
    """Return a stored file with this content; its name is independent of its path."""
    path = folder / "blob"
    path.write_bytes(content)
    return Source(path, name, len(content), None)


def given(*values: StageValue, limits: Limits | None = None) -> Given:
    """Return these values with the default types and limits."""
    return Given((KnownTypes(), *values), limits or Limits())


def fetched(media_type: str) -> Fetched:
    """Return the result of fetching a file of this type."""
    return Fetched(media_type, 1, "0" * 64)


def extracted(*texts: str, title: str | None = None) -> Extracted:
    """Return a document with these texts as its pages."""
    return Extracted(tuple(Page(number, text) for number, text in enumerate(texts, start=1)), title)
