"""Lexical, semantic and hybrid search of passages; search by facts; tags."""

from docyard.search.facets import EntityFacet, Facets, count_facets
from docyard.search.fact_filters import entity_words, find_entities_by_name, list_field_names, strip_fact_filters
from docyard.search.filters import KINDS, Filters
from docyard.search.hybrid_search import MODES, SearchResult, search
from docyard.search.marks import MARK_END, MARK_START, find_matching_pages, find_matching_words, find_spans
from docyard.search.related_documents import find_related
from docyard.search.semantic_search import QueryVector, embed_query, explain_unavailable
from docyard.search.tags import TagHit, TagResult, find_near_tags, find_tags

__all__ = [
    "KINDS",
    "MARK_END",
    "MARK_START",
    "MODES",
    "EntityFacet",
    "Facets",
    "Filters",
    "QueryVector",
    "SearchResult",
    "TagHit",
    "TagResult",
    "count_facets",
    "embed_query",
    "entity_words",
    "explain_unavailable",
    "find_entities_by_name",
    "find_matching_pages",
    "find_matching_words",
    "find_near_tags",
    "find_related",
    "find_spans",
    "find_tags",
    "list_field_names",
    "search",
    "strip_fact_filters",
]
