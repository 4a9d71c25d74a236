"""'More like this': documents near a document's mean vector, or with the words that tell it from others."""

from __future__ import annotations

from uuid import UUID

from docyard.db import Connection, Queries
from docyard.inference.embedding import find_model
from docyard.model.documents import Hit
from docyard.search.filters import Filters
from docyard.search.finding import Placed, show
from docyard.search.lexical import Found, rank_forms
from docyard.search.meaning import Meaning, nearest
from docyard.search.probing import Form
from docyard.search.wording import parse
from docyard.store import embeddings

_SQL = Queries("docyard.search", "search.sql")
_WORDS = 12
_NEAR_ENOUGH = 0.3  # cosine similarity
_ALIKE_ENOUGH = 0.25  # of the score that the document itself gets


def related(conn: Connection, document_id: UUID, *, most: int = 5) -> list[Hit]:
    """The documents of the workspace most like this one: by meaning where there are vectors, or by words."""
    found = _by_meaning(conn, document_id)
    by = "meaning"
    if found is None:
        found, by = _by_words(conn, document_id), "words"
    return show(conn, [Placed(one, one.score, by) for one in found[:most]], parse(""))


def _by_meaning(conn: Connection, document_id: UUID) -> list[Found] | None:
    model = find_model()
    if model is None or not embeddings.can_keep_embeddings(conn):
        return None
    number = embeddings.find_model(conn, model.fingerprint)
    mean = embeddings.mean_vector(conn, document_id, number) if number is not None else None
    if mean is None:
        return None
    near = nearest(conn, Meaning(model.fingerprint, mean), Filters(), besides=document_id)
    return [one for one in near if one.score >= _NEAR_ENOUGH]


def _by_words(conn: Connection, document_id: UUID) -> list[Found]:
    rows = conn.execute(_SQL["telling_words"], {"document_id": document_id, "most": _WORDS})
    wanted = [Form(**{**row, "word": place}) for place, row in enumerate(rows, 1)]
    found = rank_forms(conn, wanted, Filters()).found
    own = next((one.score for one in found if one.document_id == document_id), 0.0)
    return [one for one in found if one.document_id != document_id and one.score >= _ALIKE_ENOUGH * own]
