"""Where the words of a search stand on a page, found by the same stems that found the page."""

from __future__ import annotations

import re
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.search.wording import parse, tidy

_SQL = Queries("docyard.search", "search.sql")
# A snippet marks its matches with these private-use characters; escape first, then replace them.
MARK_START, MARK_END = "\ue000", "\ue001"
_MARKED = re.compile(f"{MARK_START}([^{MARK_END}]*){MARK_END}")
# A word that goes on in the next line, or has a soft hyphen; the database puts the same ones together.
_BREAK = "[-\u2010\u00ad][ \\t]*\\n[ \\t]*|\u00ad"
_BROKEN = re.compile(rf"[^\W\d_]+(?:(?:{_BREAK})[^\W\d_]+)+")


def matching_pages(conn: Connection, document_id: UUID, words: str) -> list[int]:
    """The pages of a document on which the words are found, in order."""
    rows = conn.execute(_SQL["matching_pages"], _given(document_id, words))
    return [row["page"] for row in rows]


def matching_forms(conn: Connection, document_id: UUID, number: int, words: str) -> set[str]:
    """The words of a page that match, as they are written there."""
    row = conn.execute(_SQL["marked_page"], {**_given(document_id, words), "number": number}).fetchone()
    return set(_MARKED.findall(row["marked"])) - {""} if row else set()


def spans(text: str, forms: set[str]) -> list[tuple[int, int]]:
    """Every place in a text where one of these forms stands as a whole word."""
    if not forms:
        return []
    # Longest first, so that 'non-disclosure' is one mark and not the one of 'non'.
    either = "|".join(re.escape(form) for form in sorted(forms, key=lambda form: (-len(form), form)))
    whole = [match.span() for match in re.finditer(rf"(?<!\w)(?:{either})(?!\w)", text)]
    broken = [match.span() for match in _BROKEN.finditer(text) if re.sub(_BREAK, "", match[0]) in forms]
    return sorted({*whole, *broken})


def _given(document_id: UUID, words: str) -> dict[str, object]:
    query = parse(words)
    return {
        "document_id": document_id,
        "every": tidy(words.replace("*", " ")),
        "marking": query.marking,
        "prefixes": list(query.prefixes),
    }
