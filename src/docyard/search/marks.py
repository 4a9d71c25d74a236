"""Occurrences of search words on a page, matched by the same stemming as in the search."""

from __future__ import annotations

import re
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.search.query_parser import deduplicate_terms, parse_query

_SQL = Queries("docyard.search", "search.sql")
# Private-use characters around the matches in a snippet. Escape the snippet before replacing them.
MARK_START, MARK_END = "\ue000", "\ue001"
_MARKED = re.compile(f"{MARK_START}([^{MARK_END}]*){MARK_END}")
# A hyphen at a line break, or a soft hyphen. The SQL function unbroken() joins the same words.
_HYPHENATION = "[-\u2010\u00ad][ \\t]*\\n[ \\t]*|\u00ad"
_HYPHENATED_WORD = re.compile(rf"[^\W\d_]+(?:(?:{_HYPHENATION})[^\W\d_]+)+")


def find_matching_pages(conn: Connection, document_id: UUID, words: str) -> list[int]:
    """Return the numbers of the pages with all words in one passage; if there are none, with any of them."""
    rows = conn.execute(_SQL["find_matching_pages"], _params(document_id, words))
    return [row["page"] for row in rows]


def find_matching_words(conn: Connection, document_id: UUID, number: int, words: str) -> set[str]:
    """Return the distinct words of a page that match, spelled as on the page, but without hyphenation."""
    row = conn.execute(_SQL["marked_page"], {**_params(document_id, words), "number": number}).fetchone()
    return set(_MARKED.findall(row["marked"])) - {""} if row else set()


def find_spans(text: str, forms: set[str]) -> list[tuple[int, int]]:
    """Return the span of every occurrence of these forms as whole words."""
    if not forms:
        return []
    # Longest first, so that 'non-disclosure' is marked as a whole and not only 'non'.
    pattern = "|".join(re.escape(form) for form in sorted(forms, key=lambda form: (-len(form), form)))
    whole = [match.span() for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text)]
    broken = [match.span() for match in _HYPHENATED_WORD.finditer(text) if re.sub(_HYPHENATION, "", match[0]) in forms]
    return sorted({*whole, *broken})


def _params(document_id: UUID, words: str) -> dict[str, object]:
    query = parse_query(words)
    return {
        "document_id": document_id,
        "every": deduplicate_terms(words.replace("*", " ")),
        "marking": query.highlight,
        "prefixes": list(query.prefixes),
    }
