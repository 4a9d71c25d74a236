"""Lexical, semantic and hybrid search with snippets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.model.documents import Hit
from docyard.search import fact_filters
from docyard.search.filters import Filters
from docyard.search.lexical import FoundDocument, Ranking, rank
from docyard.search.query_parser import Query, parse_query
from docyard.search.query_probes import Form
from docyard.search.semantic_search import QueryVector, explain_unavailable, find_nearest
from docyard.search.suggestions import suggest_query

_SQL = Queries("docyard.search", "search.sql")
_FACTS = Queries("docyard.search", "facts.sql")
MODES = ("lexical", "semantic", "hybrid")
_RANK_OFFSET = 60  # constant k of reciprocal rank fusion; higher values make the top ranks count less
_SUGGEST_BELOW = 3  # another spelling is suggested if words find fewer documents than this
_WORDS, _MEANING, _BOTH, _FACT = "words", "meaning", "both", "facts"
_MAX_LISTED = 1000  # newest documents listed by facts alone


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A found document with its best passage, its score, and how it was found."""

    found: FoundDocument
    score: float
    by: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits of one result page, the total number of documents, and how they were found."""

    hits: list[Hit]
    total: int
    mode: str = "lexical"
    note: str | None = None  # why a mode other than the requested one was used
    suggestion: str | None = None  # query with corrected spelling
    cut: bool = False  # not all matches were ranked
    documents: tuple[UUID, ...] = ()  # all found documents, best first


def search(
    conn: Connection,
    words: str,
    *,
    limit: int = 20,
    skipped: int = 0,
    mode: str | None = None,
    meaning: QueryVector | None = None,
    filters: Filters | None = None,
) -> SearchResult:
    """Find documents by words, "exact phrases", prefixes*, OR, -excluded words, meaning and facts."""
    words, wanted_facts = fact_filters.split_query(conn, words)
    filters = filters or Filters()
    if not words:
        # Without words, tags are not filters: they select the documents to list.
        wanted_facts = [fact_filters.tag_fact(tag) for tag in filters.tags] + wanted_facts
    if filters.folder:
        wanted_facts = [*wanted_facts, fact_filters.folder_fact(conn, filters.folder)]
    narrowed = replace(filters, by_facts=bool(wanted_facts))
    with fact_filters.restrict_to_facts(conn, wanted_facts):
        if wanted_facts and not words:
            ranked, result = _list_by_facts(conn, narrowed), SearchResult([], 0)
        else:
            ranked, result = _rank(conn, words, mode, meaning, narrowed)
    return replace(
        result,
        hits=load_hits(conn, ranked[skipped : skipped + limit], parse_query(words)),
        total=len(ranked),
        documents=tuple(one.found.document_id for one in ranked),
    )


def _list_by_facts(conn: Connection, narrowed: Filters) -> list[RankedDocument]:
    """Return the documents that have the requested facts, newest first."""
    params = {**narrowed.query_params(), "limit": _MAX_LISTED}
    rows = conn.execute(_FACTS["documents_with_facts"], params)
    return [RankedDocument(FoundDocument(row["document_id"], None, 0.0), 0.0, _FACT) for row in rows]


def _rank(
    conn: Connection, words: str, mode: str | None, meaning: QueryVector | None, narrowed: Filters
) -> tuple[list[RankedDocument], SearchResult]:
    """Rank documents by words and meaning; return them, and a result with mode, note and suggestion."""
    query = parse_query(words)
    mode, note = _choose_mode(conn, mode, meaning)
    ranking, wanted = Ranking([]), list[Form]()
    if mode != "semantic":
        ranking, wanted = rank(conn, query, narrowed)
    near = find_nearest(conn, meaning, narrowed) if meaning is not None and mode != "lexical" else []
    ranked = fuse_rankings(ranking.found, near, strict=query.has_required_terms and mode == "hybrid")
    corrected = suggest_query(conn, words, query, wanted) if len(ranking.found) < _SUGGEST_BELOW else None
    return ranked, SearchResult([], 0, mode, note, corrected, cut=ranking.cut)


def fuse_rankings(
    by_words: Sequence[FoundDocument], by_meaning: Sequence[FoundDocument], *, strict: bool = False
) -> list[RankedDocument]:
    """Merge both rankings by reciprocal rank fusion; with `strict`, omit documents not found by words."""
    if not by_meaning:
        return [RankedDocument(found, found.score, _WORDS) for found in by_words]
    if not by_words and not strict:
        return [RankedDocument(found, found.score, _MEANING) for found in by_meaning]
    lexical = {found.document_id: (rank, found) for rank, found in enumerate(by_words)}
    semantic = {found.document_id: (rank, found) for rank, found in enumerate(by_meaning)}
    # Only lexical search checks required terms. With `strict`, semantic hits therefore add no documents.
    documents = dict.fromkeys([*lexical, *(() if strict else semantic)])
    ranked = []
    for document in documents:
        ranks = [side[document] for side in (lexical, semantic) if document in side]
        score = sum(1 / (_RANK_OFFSET + 1 + rank) for rank, _ in ranks)
        by = _BOTH if len(ranks) == 2 else _WORDS if document in lexical else _MEANING
        ranked.append(RankedDocument(ranks[0][1], score, by))
    return sorted(ranked, key=lambda one: (-one.score, one.found.document_id))


def load_hits(conn: Connection, ranked: Sequence[RankedDocument], query: Query) -> list[Hit]:
    """Return hits with snippets in which the words of the query are marked."""
    params = {
        "documents": [one.found.document_id for one in ranked],
        "chunks": [one.found.chunk_id for one in ranked],
        "scores": [one.score for one in ranked],
        "ways": [one.by for one in ranked],
        "marking": query.highlight,
        "prefixes": list(query.prefixes),
    }
    return [Hit(**row) for row in conn.execute(_SQL["show_hits"], params)] if ranked else []


def _choose_mode(conn: Connection, requested: str | None, meaning: QueryVector | None) -> tuple[str, str | None]:
    """Return the requested mode, by default hybrid; or lexical, and why semantic search is unavailable."""
    if requested == "lexical":
        return requested, None
    reason = explain_unavailable(conn, meaning)
    return ("lexical", reason) if reason else (requested or "hybrid", None)
