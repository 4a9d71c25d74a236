"""Words that a line broke in two are found, shown and marked whole; what is no such word is left alone."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Database
from docyard.search import matching_forms, spans
from docyard.store.words import fold_text_changes, forget_deleted
from tests.search.library import Library

TEXT = (
    "Regular main-\ntenance by a well-\nknown firm of Schleswig-\nHolstein, 1990-\n2000, co\u00adoperation."
)


@pytest.mark.parametrize(
    ("words", "is_found"),
    [
        ("maintenance", True),
        ("maintenances", True),  # it is stemmed like any other
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
def test_a_broken_word_is_found_whole(library: Library, words: str, is_found: bool) -> None:
    library.put("x", TEXT)
    library.put("y", "something else")
    library.count()
    assert library.found(words) == (["x"] if is_found else [])


def test_it_is_shown_whole_and_marked(library: Library) -> None:
    library.put("x", TEXT)
    library.count()
    (hit,) = library.search("maintenance").hits
    assert "\ue000maintenance\ue001 by" in hit.snippet


def test_on_its_page_both_halves_are_marked(library: Library, database: Database, workspace: UUID) -> None:
    document = library.put("x", TEXT)
    with database.transaction() as conn:
        conn.execute(
            "INSERT INTO pages (document_id, workspace_id, number, text, width, height, words)"
            " VALUES (%s, %s, 1, %s, 0, 0, '')",
            (document, workspace, TEXT),
        )
        forms = matching_forms(conn, document, 1, "maintenance cooperation")
    marked = [TEXT[start:end] for start, end in spans(TEXT, forms)]
    assert marked == ["main-\ntenance", "co\u00adoperation"]


def test_what_is_dropped_leaves_no_count_behind(library: Library, database: Database) -> None:
    document = library.put("x", TEXT)
    library.write(document, "other words")
    library.count()
    assert _counted(database) == {"other": 1, "word": 1}


def test_the_words_of_deleted_documents_leave(library: Library, database: Database) -> None:
    document, kept = library.put("x", "walrus and carpenter"), library.put("y", "walrus")
    library.count()
    with database.transaction() as conn:
        conn.execute("UPDATE documents SET page_count = 1")
        conn.execute("UPDATE documents SET deleted_at = now() WHERE id = %s", (document,))
        assert forget_deleted(conn, 10) == 1
        assert forget_deleted(conn, 10) == 0
        fold_text_changes(conn, 10)
        left = conn.execute("SELECT document_id FROM chunks").fetchall()
    assert _counted(database) == {"walrus": 1}
    assert left == [{"document_id": kept}]
    assert library.search("carpentre").suggestion is None, "a word that is gone is not suggested"


def _counted(database: Database) -> dict[str, int]:
    with database.transaction() as conn:
        return {
            row["lexeme"]: row["chunks"]
            for row in conn.execute("SELECT lexeme, chunks FROM lexemes WHERE chunks > 0")
        }
