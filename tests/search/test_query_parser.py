"""The query parser limits the size of queries and accepts any input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.search.query_parser import MAX_TERMS, Query, deduplicate_terms, parse_query


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("lease", "lease"),
        ("word Word word", "word"),
        ('"exact phrase" -draft', '"exact phrase" -draft'),
        ("rent or lease or rent", "rent OR lease OR"),
        ('"open phrase', '"open phrase"'),
        ("a\x00b", "a b"),
        ("", ""),
    ],
)
def test_removes_duplicate_terms(typed: str, expected: str) -> None:
    assert deduplicate_terms(typed) == expected


@given(st.text())
def test_deduplication_limits_any_input_and_is_idempotent(typed: str) -> None:
    once = deduplicate_terms(typed)
    assert len([term for term in once.split() if term != "OR"]) <= MAX_TERMS * 12
    assert deduplicate_terms(once).casefold() == once.casefold() or '"' in once or "OR" in once


@pytest.mark.parametrize(
    ("typed", "parsed"),
    [
        ("lease rent", Query(("lease", "rent"), (), "", "", "lease OR rent")),
        ("lease OR rent", Query(("lease", "rent"), (), "", "", "lease OR rent")),
        ('"a b" c', Query(("c", "a", "b"), (), '"a b"', "", 'c OR "a b"')),
        ('"a b" OR c d', Query(("c", "d", "a", "b"), (), '"a b" OR c', "", 'c OR d OR "a b"')),
        ("lease -draft", Query(("lease",), (), "-draft", "-draft", "lease")),
        ('lease -"first draft"', Query(("lease",), (), '-"first draft"', '-"first draft"', "lease")),
        ("insur* policy", Query(("policy",), ("insur",), "", "", "policy")),
        ("-draft", Query((), (), "", "", "")),
        ("OR OR", Query((), (), "", "", "")),
        ("- *", Query(("-", "*"), (), "", "", "- OR *")),
    ],
)
def test_parses_queries(typed: str, parsed: Query) -> None:
    assert parse_query(typed) == parsed


@given(st.text())
def test_parses_any_input(typed: str) -> None:
    query = parse_query(typed)
    assert len(query.words) <= 2 * MAX_TERMS
    assert not any(word.startswith('"') for word in query.words)
