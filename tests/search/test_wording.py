"""What people type is brought into a form that cannot hurt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.search.wording import MOST_TERMS, tidy


@pytest.mark.parametrize(
    ("typed", "tidied"),
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
def test_each_term_counts_once(typed: str, tidied: str) -> None:
    assert tidy(typed) == tidied


@given(st.text())
def test_whatever_is_typed_stays_small_and_is_tidy_already(typed: str) -> None:
    once = tidy(typed)
    assert len([term for term in once.split() if term != "OR"]) <= MOST_TERMS * 12
    assert tidy(once).casefold() == once.casefold() or '"' in once or "OR" in once
