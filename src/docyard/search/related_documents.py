"""Related documents: those nearest to a document's mean vector, or with its most distinctive words."""

from __future__ import annotations

from uuid import UUID

from docyard.db import Connection, Queries
from docyard.inference.embedding import find_model
from docyard.model.documents import Hit
from docyard.search.filters import Filters
from docyard.search.hybrid_search import RankedDocument, load_hits
from docyard.search.lexical import FoundDocument, rank_forms
from docyard.search.query_parser import parse_query
from docyard.search.query_probes import Form
from docyard.search.semantic_search import QueryVector, find_nearest
from docyard.store import embeddings

_SQL = Queries("docyard.search", "search.sql")
_MAX_WORDS = 12
_MIN_SIMILARITY = 0.3  # cosine similarity
_MIN_SCORE = 0.25  # as a share of the document's own score


def find_related(conn: Connection, document_id: UUID, *, limit: int = 5) -> list[Hit]:
    """Return the most similar documents, by vectors if this document has any, else by words."""
    found = _find_by_vector(conn, document_id)
    by = "meaning"
    if found is None:
        found, by = _find_by_words(conn, document_id), "words"
    return load_hits(conn, [RankedDocument(one, one.score, by) for one in found[:limit]], parse_query(""))


def _find_by_vector(conn: Connection, document_id: UUID) -> list[FoundDocument] | None:
    model = find_model()
    if model is None or not embeddings.has_vector_tables(conn):
        return None
    number = embeddings.find_model(conn, model.fingerprint)
    mean = embeddings.load_mean_vector(conn, document_id, number) if number is not None else None
    if mean is None:
        return None
    near = find_nearest(conn, QueryVector(model.fingerprint, mean), Filters(), exclude=document_id)
    return [one for one in near if one.score >= _MIN_SIMILARITY]


def _find_by_words(conn: Connection, document_id: UUID) -> list[FoundDocument]:
    rows = conn.execute(_SQL["telling_words"], {"document_id": document_id, "limit": _MAX_WORDS})
    wanted = [Form(**{**row, "word": place}) for place, row in enumerate(rows, 1)]
    found = rank_forms(conn, wanted, Filters()).found
    own = next((one.score for one in found if one.document_id == document_id), 0.0)
    return [one for one in found if one.document_id != document_id and one.score >= _MIN_SCORE * own]
