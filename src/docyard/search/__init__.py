"""Finding passages again."""

from docyard.search.lexical import MARK_END, MARK_START, SearchResult, search

__all__ = ["MARK_END", "MARK_START", "SearchResult", "search"]
