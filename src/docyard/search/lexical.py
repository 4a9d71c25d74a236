"""Lexical ranking: BM25 over the passages that the query probes reach in the transaction's workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.search.filters import Filters
from docyard.search.query_parser import Query
from docyard.search.query_probes import MAX_PROBE_DEPTH, Form, Probe, inverse_frequency, plan_probes, quote_lexeme

_SQL = Queries("docyard.search", "search.sql")
_DEFAULT_LENGTH = 1000.0  # assumed mean length of a passage in characters, until passages are counted


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A found document and its best passage; `chunk_id` is None if only its title or file name matched."""

    document_id: UUID
    chunk_id: int | None
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Found documents, best first; `cut` means that the words are too common to rank every match."""

    found: list[FoundDocument]
    cut: bool = False


def find_forms(conn: Connection, words: Sequence[str], prefixes: Sequence[str] = ()) -> list[Form]:
    """Return the lexemes of the words in every language of the workspace, with their counts."""
    params = {"words": list(words), "prefixes": list(prefixes)}
    return [Form(**row) for row in conn.execute(_SQL["query_lexemes"], params)]


def rank(conn: Connection, query: Query, filters: Filters) -> tuple[Ranking, list[Form]]:
    """Rank the documents that match the query; return them and the lexemes of the query words."""
    wanted = find_forms(conn, query.words, query.prefixes)
    return rank_forms(conn, wanted, filters, query), wanted


def rank_forms(conn: Connection, wanted: Sequence[Form], filters: Filters, query: Query | None = None) -> Ranking:
    """Rank the documents that contain these forms."""
    row = conn.execute(_SQL["text_size"]).fetchone()
    if not wanted or row is None or row["workspace"] is None:
        return Ranking([])
    total = int(row["chunks"])
    query_probes = plan_probes(row["workspace"], wanted, total)
    params = {
        **_array_params(query_probes, wanted, total),
        **filters.query_params(),
        "mean_length": row["characters"] / total if total else _DEFAULT_LENGTH,
        "required": query.required if query else "",
        "excluded": query.excluded if query else "",
    }
    found = [FoundDocument(**each) for each in conn.execute(_SQL["rank_chunks"], params)]
    return Ranking(found, cut=_is_truncated(wanted))


def _array_params(query_probes: Sequence[Probe], wanted: Sequence[Form], total: int) -> dict[str, object]:
    return {
        "probes": [probe.query for probe in query_probes],
        "depths": [probe.depth for probe in query_probes],
        "configs": [form.config for form in wanted],
        "queries": [quote_lexeme(form.lexeme, prefix=form.prefix) for form in wanted],
        "prefixes": [form.prefix for form in wanted],
        "words": [form.word for form in wanted],
        "telling": [form.telling for form in wanted],
        "weights": [inverse_frequency(form.chunks, total) for form in wanted],
    }


def _is_truncated(wanted: Sequence[Form]) -> bool:
    return sum({form.lexeme: form.chunks for form in wanted}.values()) > MAX_PROBE_DEPTH
