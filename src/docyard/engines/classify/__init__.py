"""What type a document is of: by format, phrases and layout first, by meaning where they leave it open."""

from __future__ import annotations

from docyard.engines.classify.deciding import Verdict, type_of
from docyard.engines.classify.types import (
    DEFAULT_TYPES,
    DocumentType,
    described,
    described_types,
    types_of,
)

__all__ = ["DEFAULT_TYPES", "DocumentType", "Verdict", "described", "described_types", "type_of", "types_of"]
