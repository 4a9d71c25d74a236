"""Docyard: documents in, fairly queued, processed once, searchable."""

__version__ = "0.1.0"
