"""Lexical, semantic and hybrid search of passages; search by facts; tags."""

from docyard.search.facets import EntityFacet, Facets, facets
from docyard.search.fact_filters import entities_named, entity_words, field_names, plain_words
from docyard.search.filters import KINDS, Filters
from docyard.search.hybrid_search import MODES, SearchResult, search
from docyard.search.marks import MARK_END, MARK_START, matching_forms, matching_pages, spans
from docyard.search.related_documents import find_related
from docyard.search.semantic_search import Meaning, meaning_of, why_off
from docyard.search.tags import FoundTag, TagResult, find_tags, tags_near

__all__ = [
    "KINDS",
    "MARK_END",
    "MARK_START",
    "MODES",
    "EntityFacet",
    "Facets",
    "Filters",
    "FoundTag",
    "Meaning",
    "SearchResult",
    "TagResult",
    "entities_named",
    "entity_words",
    "facets",
    "field_names",
    "find_related",
    "find_tags",
    "matching_forms",
    "matching_pages",
    "meaning_of",
    "plain_words",
    "search",
    "spans",
    "tags_near",
    "why_off",
]
