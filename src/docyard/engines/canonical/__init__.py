"""What different ways of writing a name have in common, and how alike two names are."""

from docyard.engines.canonical.blocking import blocks
from docyard.engines.canonical.keys import THINGS, bare, entity_key, legal_form
from docyard.engines.canonical.likeness import is_part, likeness

__all__ = ["THINGS", "bare", "blocks", "entity_key", "is_part", "legal_form", "likeness"]
