"""How the entities of a document relate, by its fields and mentions, each with the place that says it."""

from docyard.engines.relating.beside import beside
from docyard.engines.relating.from_fields import named_by_fields
from docyard.engines.relating.typed import typed

__all__ = ["beside", "named_by_fields", "typed"]
