"""Finding passages again."""

from docyard.search.lexical import MARK_END, MARK_START, SearchResult, search
from docyard.search.marks import matching_forms, matching_pages, spans

__all__ = ["MARK_END", "MARK_START", "SearchResult", "matching_forms", "matching_pages", "search", "spans"]
