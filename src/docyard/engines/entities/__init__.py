"""What a document names, each with its place, its normal form and how sure it is."""

from __future__ import annotations

from docyard.engines.entities.reading import mentions

__all__ = ["mentions"]
