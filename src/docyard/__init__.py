"""Docyard: a document store with a fair processing queue and search."""

__version__ = "0.1.0"
