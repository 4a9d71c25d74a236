"""Ranking by words: BM25 over the passages that the probes reach; the transaction's workspace bounds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.search.filters import Filters
from docyard.search.probing import DEPTH, Form, Probe, probes, quoted, weight
from docyard.search.wording import Query

_SQL = Queries("docyard.search", "search.sql")
_USUAL_LENGTH = 1000.0  # characters of a passage, where nothing has been counted yet


@dataclass(frozen=True, slots=True)
class Found:
    """A document and its best passage; None when only its title or file name matched."""

    document_id: UUID
    chunk_id: int | None
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Documents, best first; `cut` when the words are so common that not every match was looked at."""

    found: list[Found]
    cut: bool = False


def forms(conn: Connection, words: Sequence[str], prefixes: Sequence[str] = ()) -> list[Form]:
    """The words in every language of the workspace, with their counts."""
    given = {"words": list(words), "prefixes": list(prefixes)}
    return [Form(**row) for row in conn.execute(_SQL["query_lexemes"], given)]


def rank(conn: Connection, query: Query, filters: Filters) -> tuple[Ranking, list[Form]]:
    """The documents that the words find, and what is known of the words."""
    wanted = forms(conn, query.words, query.prefixes)
    return rank_forms(conn, wanted, filters, query), wanted


def rank_forms(
    conn: Connection, wanted: Sequence[Form], filters: Filters, query: Query | None = None
) -> Ranking:
    """The documents in which these forms stand."""
    row = conn.execute(_SQL["text_size"]).fetchone()
    if not wanted or row is None or row["workspace"] is None:
        return Ranking([])
    total = int(row["chunks"])
    asked = probes(row["workspace"], wanted, total)
    given = {
        **_arrays(asked, wanted, total),
        **filters.given(),
        "mean_length": row["characters"] / total if total else _USUAL_LENGTH,
        "required": query.required if query else "",
        "excluded": query.excluded if query else "",
    }
    found = [Found(**each) for each in conn.execute(_SQL["rank_chunks"], given)]
    return Ranking(found, cut=_is_cut(wanted))


def _arrays(asked: Sequence[Probe], wanted: Sequence[Form], total: int) -> dict[str, object]:
    return {
        "probes": [probe.query for probe in asked],
        "depths": [probe.depth for probe in asked],
        "configs": [form.config for form in wanted],
        "queries": [quoted(form.lexeme, prefix=form.prefix) for form in wanted],
        "prefixes": [form.prefix for form in wanted],
        "words": [form.word for form in wanted],
        "telling": [form.telling for form in wanted],
        "weights": [weight(form.chunks, total) for form in wanted],
    }


def _is_cut(wanted: Sequence[Form]) -> bool:
    return sum({form.lexeme: form.chunks for form in wanted}.values()) > DEPTH
