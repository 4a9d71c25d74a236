"""Search as people use it: by words, by meaning, or by both, with the passages to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.model.documents import Hit
from docyard.search import facts
from docyard.search.filters import Filters
from docyard.search.lexical import Found, Ranking, rank
from docyard.search.meaning import Meaning, nearest, why_off
from docyard.search.probing import Form
from docyard.search.suggesting import suggestion
from docyard.search.wording import Query, parse

_SQL = Queries("docyard.search", "search.sql")
_FACTS = Queries("docyard.search", "facts.sql")
MODES = ("lexical", "semantic", "hybrid")
_RANK_OFFSET = 60  # of reciprocal rank fusion: how little the very first places count more than the next
_FEW = 3  # documents found by words; with more of them nobody needs to be told what else could be meant
_WORDS, _MEANING, _BOTH, _FACT = "words", "meaning", "both", "facts"
_MOST_LISTED = 1000  # documents with a fact that are listed; the newest are


@dataclass(frozen=True, slots=True)
class Placed:
    """A document with its best passage, its score, and what found it."""

    found: Found
    score: float
    by: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits of one page, how many documents there are in all, and how they were found."""

    hits: list[Hit]
    total: int
    mode: str = "lexical"
    note: str | None = None  # why not as asked
    suggestion: str | None = None  # what may have been meant
    cut: bool = False  # there are more matches than were looked at
    documents: tuple[UUID, ...] = ()  # all that were found, best first


def search(
    conn: Connection,
    words: str,
    *,
    most: int = 20,
    skipped: int = 0,
    mode: str | None = None,
    meaning: Meaning | None = None,
    filters: Filters | None = None,
) -> SearchResult:
    """Find documents by words, "exact phrases", beginnings*, OR and -excluded words, meaning and facts."""
    words, wanted_facts = facts.narrow(conn, words)
    filters = filters or Filters()
    if not words:
        # Without words a tag is not a filter but what leads to the documents.
        wanted_facts = [facts.tag_fact(tag) for tag in filters.tags] + wanted_facts
    if filters.folder:
        wanted_facts = [*wanted_facts, facts.folder_fact(conn, filters.folder)]
    narrowed = replace(filters, by_facts=bool(wanted_facts))
    with facts.wanted(conn, wanted_facts):
        if wanted_facts and not words:
            placed, shown = _listed(conn, narrowed), SearchResult([], 0)
        else:
            placed, shown = _ranked(conn, words, mode, meaning, narrowed)
    return replace(
        shown,
        hits=show(conn, placed[skipped : skipped + most], parse(words)),
        total=len(placed),
        documents=tuple(one.found.document_id for one in placed),
    )


def _listed(conn: Connection, narrowed: Filters) -> list[Placed]:
    """Documents with the facts that are wanted and no words to rank them by, the newest first."""
    given = {**narrowed.given(), "most": _MOST_LISTED}
    rows = conn.execute(_FACTS["documents_with_facts"], given)
    return [Placed(Found(row["document_id"], None, 0.0), 0.0, _FACT) for row in rows]


def _ranked(
    conn: Connection, words: str, mode: str | None, meaning: Meaning | None, narrowed: Filters
) -> tuple[list[Placed], SearchResult]:
    """Documents that the words find, and how they were found."""
    query = parse(words)
    mode, note = _mode(conn, mode, meaning)
    ranking, wanted = Ranking([]), list[Form]()
    if mode != "semantic":
        ranking, wanted = rank(conn, query, narrowed)
    near = nearest(conn, meaning, narrowed) if meaning is not None and mode != "lexical" else []
    placed = fused(ranking.found, near, strict=query.strict and mode == "hybrid")
    better = suggestion(conn, words, query, wanted) if len(ranking.found) < _FEW else None
    return placed, SearchResult([], 0, mode, note, better, cut=ranking.cut)


def fused(by_words: Sequence[Found], by_meaning: Sequence[Found], *, strict: bool = False) -> list[Placed]:
    """Both rankings as one, by the sum of reciprocal ranks; one alone keeps its own scores."""
    if not by_meaning:
        return [Placed(found, found.score, _WORDS) for found in by_words]
    if not by_words and not strict:
        return [Placed(found, found.score, _MEANING) for found in by_meaning]
    first = {found.document_id: (place, found) for place, found in enumerate(by_words)}
    second = {found.document_id: (place, found) for place, found in enumerate(by_meaning)}
    # What must hold only words can tell, so meaning then orders what they found and adds nothing.
    documents = dict.fromkeys([*first, *(() if strict else second)])
    placed = []
    for document in documents:
        ranks = [side[document] for side in (first, second) if document in side]
        score = sum(1 / (_RANK_OFFSET + 1 + place) for place, _ in ranks)
        by = _BOTH if len(ranks) == 2 else _WORDS if document in first else _MEANING
        placed.append(Placed(ranks[0][1], score, by))
    return sorted(placed, key=lambda one: (-one.score, one.found.document_id))


def show(conn: Connection, placed: Sequence[Placed], query: Query) -> list[Hit]:
    """The passages with the words of the search marked."""
    given = {
        "documents": [one.found.document_id for one in placed],
        "chunks": [one.found.chunk_id for one in placed],
        "scores": [one.score for one in placed],
        "ways": [one.by for one in placed],
        "marking": query.marking,
        "prefixes": list(query.prefixes),
    }
    return [Hit(**row) for row in conn.execute(_SQL["show_hits"], given)] if placed else []


def _mode(conn: Connection, asked: str | None, meaning: Meaning | None) -> tuple[str, str | None]:
    """How to search: as asked, by both unless said otherwise, by words alone where there is no other way."""
    if asked == "lexical":
        return asked, None
    off = why_off(conn, meaning)
    return ("lexical", off) if off else (asked or "hybrid", None)
