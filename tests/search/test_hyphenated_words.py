"""Words hyphenated at a line break are found, shown and marked as one word; other hyphens are kept."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Database
from docyard.search import find_matching_words, find_spans
from docyard.store.word_counts import delete_deleted_passages, fold_text_changes
from tests.search.library import Library

TEXT = "Regular main-\ntenance by a well-\nknown firm of Schleswig-\nHolstein, 1990-\n2000, co\u00adoperation."


@pytest.mark.parametrize(
    ("words", "is_found"),
    [
        ("maintenance", True),
        ("maintenances", True),  # stemmed like other words
        ('"regular maintenance by"', True),
        ("well-known", True),
        ("known", True),
        ("holstein", True),
        ("schleswig", True),
        ("schleswigholstein", False),
        ("19902000", False),
        ("cooperation", True),
        ("maintain*", False),
        ("mainten*", True),
    ],
)
def test_finds_a_hyphenated_word_as_one_word(library: Library, words: str, is_found: bool) -> None:
    library.put("x", TEXT)
    library.put("y", "something else")
    library.count()
    assert library.find_names(words) == (["x"] if is_found else [])


def test_shows_and_marks_a_hyphenated_word_as_one_word(library: Library) -> None:
    library.put("x", TEXT)
    library.count()
    (hit,) = library.search("maintenance").hits
    assert "\ue000maintenance\ue001 by" in hit.snippet


def test_marks_both_halves_on_the_page(library: Library, database: Database, workspace: UUID) -> None:
    document = library.put("x", TEXT)
    with database.transaction() as conn:
        conn.execute(
            "INSERT INTO pages (document_id, workspace_id, number, text, width, height, words)"
            " VALUES (%s, %s, 1, %s, 0, 0, '')",
            (document, workspace, TEXT),
        )
        forms = find_matching_words(conn, document, 1, "maintenance cooperation")
    marked = [TEXT[start:end] for start, end in find_spans(TEXT, forms)]
    assert marked == ["main-\ntenance", "co\u00adoperation"]


def test_replaced_passages_are_removed_from_the_counts(library: Library, database: Database) -> None:
    document = library.put("x", TEXT)
    library.write(document, "other words")
    library.count()
    assert _load_counts(database) == {"other": 1, "word": 1}


def test_words_of_deleted_documents_are_removed_from_the_counts(library: Library, database: Database) -> None:
    document, kept = library.put("x", "walrus and carpenter"), library.put("y", "walrus")
    library.count()
    with database.transaction() as conn:
        conn.execute("UPDATE documents SET page_count = 1")
        conn.execute("UPDATE documents SET deleted_at = now() WHERE id = %s", (document,))
        assert delete_deleted_passages(conn, 10) == 1
        assert delete_deleted_passages(conn, 10) == 0
        fold_text_changes(conn, 10)
        left = conn.execute("SELECT document_id FROM chunks").fetchall()
    assert _load_counts(database) == {"walrus": 1}
    assert left == [{"document_id": kept}]
    assert library.search("carpentre").suggestion is None, "a removed word is not suggested"


def _load_counts(database: Database) -> dict[str, int]:
    with database.transaction() as conn:
        return {
            row["lexeme"]: row["chunks"] for row in conn.execute("SELECT lexeme, chunks FROM lexemes WHERE chunks > 0")
        }
