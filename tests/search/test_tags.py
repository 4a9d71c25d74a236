"""Tags: their registration, search by use, name and meaning, and tag filters."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID

import pytest

from docyard.db import Database
from docyard.model.stage_values import Classification
from docyard.search import QueryVector, TagResult, find_tags
from docyard.store import embeddings, results, tags
from tests.search.library import FINGERPRINT, Library, list_tags

SEA, LAND = "[1,0,0]", "[0,1,0]"


def find(library: Library, typed: str = "", vector: str = "", limit: int = 20) -> TagResult:
    meaning = QueryVector(FINGERPRINT, vector) if vector else None
    with library.web.transaction(library.workspace) as conn:
        return find_tags(conn, typed, meaning=meaning, limit=limit)


def names(result: TagResult) -> list[str]:
    return [each.name for each in result.tags]


def test_registers_tags_from_every_source(library: Library) -> None:
    document = library.put("a", "text", tags=["Lease", "lease", "  late   fee "])
    with library.web.transaction(library.workspace) as conn:
        conn.execute(
            "INSERT INTO documents (workspace_id, name, tags) VALUES (%s, 'b', '{LEASE,rent}')", (library.workspace,)
        )
        conn.execute(
            "INSERT INTO source_documents (project_uuid, original_file_name, tags) VALUES (%s, 'c', '{van}')",
            (library.workspace,),
        )
    with library.owner.transaction() as conn:
        results.save_classified(conn, document, Classification("T", "en", tags=("harbour", "Rent")))
        conn.execute("UPDATE documents SET tags = tags || '{boat}' WHERE name = 'b'")
        assert list_tags(conn, library.workspace) == ["boat", "harbour", "late fee", "Lease", "rent", "van"]


def test_accepts_documents_with_unusual_tags(library: Library) -> None:
    library.put("odd", "text", tags=["", "  ", "x" * 5000, "\u00c4RGER", "a,b"])
    with library.owner.transaction() as conn:
        conn.execute("UPDATE documents SET found_tags = ARRAY[NULL, 'y']")
        assert list_tags(conn, library.workspace) == ["a,b", "x" * 200, "y", "\u00c4RGER"]
    assert library.find_names("", tags=("\u00e4rger",)) == ["odd"]


def test_classification_replaces_previously_found_tags(library: Library) -> None:
    document = library.put("a", "text", tags=["mine"])
    with library.owner.transaction() as conn:
        for found in (("old", "mine"), ("new",)):
            results.save_classified(conn, document, Classification("T", "en", tags=found))
        row = conn.execute("SELECT tags, found_tags FROM documents").fetchone()
    assert row == {"tags": ["mine"], "found_tags": ["new"]}


def test_concurrent_transactions_register_the_same_tags_once(
    library: Library, database: Database, workspace: UUID
) -> None:
    """Tags arrive in opposite orders, which would deadlock if rows were locked in order of arrival."""
    start = Barrier(8)

    def insert(number: int) -> None:
        fresh = [f"tag {n}" for n in range(200)]
        start.wait(30)
        with database.transaction() as conn:
            conn.execute(
                "INSERT INTO documents (workspace_id, name, tags) VALUES (%s, %s, %s)",
                (workspace, str(number), fresh if number % 2 else fresh[::-1]),
            )

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(insert, range(8)))
    with database.transaction() as conn:
        assert len(list_tags(conn, workspace)) == 200


def test_filters_match_user_tags_and_found_tags_in_any_case(library: Library) -> None:
    library.put("given", "the walrus", tags=["Sea"])
    found = library.put("found", "the walrus")
    library.put("neither", "the walrus", tags=["seaside"])
    library.count()
    with library.owner.transaction() as conn:
        results.save_classified(conn, found, Classification(None, "en", tags=("sea", "ice floe")))
    assert set(library.find_names("walrus", tags=("SEA",))) == {"given", "found"}
    assert set(library.find_names("walrus tag:sea")) == {"given", "found"}
    assert library.find_names('tag:"ice floe" tag:sea') == ["found"]
    assert library.find_names("tag:sea") == ["found", "given"], "newest first"
    assert library.find_names("", tags=("sea",)) == ["found", "given"]
    assert library.find_names("", tags=("sea", "ice floe")) == ["found"]
    assert library.find_names("walrus tag:land") == library.find_names("tag:land") == []


@pytest.fixture
def tagged(library: Library) -> Library:
    """Tags about the sea, one about the land, one without a vector, and one that no document has."""
    library.put("a", "text", tags=["walrus", "sea"])
    library.put("b", "text", tags=["sea", "barley"])
    gone = library.put("c", "text", tags=["gone", "late fee"])
    with library.owner.transaction() as conn:
        model = embeddings.ensure_model(conn, "three", FINGERPRINT, 3)
        vectors = {"walrus": "[0.9,0.1,0]", "sea": SEA, "barley": LAND, "gone": SEA}
        for number, name in tags.list_unembedded_of_workspace(conn, library.workspace, model, 9):
            if name in vectors:
                conn.execute(
                    "INSERT INTO tag_embeddings VALUES (%s, %s, %s, %s::halfvec)",
                    (number, model, library.workspace, vectors[name]),
                )
        conn.execute("UPDATE documents SET tags = '{late fee}' WHERE id = %s", (gone,))
    return library


def test_lists_the_most_used_tags_without_words(tagged: Library) -> None:
    result = find(tagged)
    assert [(each.name, each.documents) for each in result.tags] == [
        ("sea", 2),
        ("barley", 1),
        ("late fee", 1),
        ("walrus", 1),
    ]
    assert (result.by, result.note) == ("use", None)
    with tagged.owner.transaction() as conn:
        conn.execute("UPDATE documents SET deleted_at = now() WHERE name = 'a'")
    assert [(each.name, each.documents) for each in find(tagged, limit=1).tags] == [("barley", 1)]


def test_lists_the_semantically_nearest_tags_with_their_similarity(tagged: Library) -> None:
    result = find(tagged, "ocean", SEA)
    assert [(each.name, each.documents) for each in result.tags] == [("sea", 2), ("walrus", 1)]
    assert [round(each.closeness or 0, 2) for each in result.tags] == [1.0, 0.99]
    assert (result.by, result.note) == ("meaning", None)
    assert names(find(tagged, "late", SEA)) == ["sea", "walrus", "late fee"], "a tag without a vector is found by name"


def test_finds_tags_by_name_without_a_vector_and_states_why(tagged: Library) -> None:
    result = find(tagged, "fee")
    assert (names(result), result.by) == (["late fee"], "name")
    assert "Semantic search is off" in (result.note or "")
    assert names(find(tagged, "wal")) == ["walrus"]
    assert names(find(tagged, "GONE")) == names(find(tagged, "%")) == []


def test_uses_the_index_of_the_model_in_a_large_workspace(tagged: Library) -> None:
    with tagged.owner.transaction(tagged.workspace) as conn:
        conn.execute("SET LOCAL enable_seqscan = off")
        found = conn.execute("SELECT name FROM nearest_tags(1::smallint, %s, 3, -1)", (LAND,)).fetchall()
    assert found[0] == {"name": "barley"}
    assert len(found) == 3


def test_does_not_find_tags_of_other_workspaces(tagged: Library, other_workspace: UUID) -> None:
    theirs = Library(tagged.owner, tagged.web, other_workspace)
    theirs.put("d", "text", tags=["sea"])
    assert [(each.name, each.documents) for each in find(theirs).tags] == [("sea", 1)]
    assert names(find(theirs, "wal", SEA)) == []
    assert theirs.find_names("tag:walrus") == theirs.find_names("", tags=("barley",)) == []
    with tagged.web.transaction() as conn:
        assert find_tags(conn, "sea", meaning=QueryVector(FINGERPRINT, SEA)).tags == ()
        assert find_tags(conn).tags == ()


def test_suggests_tags_recently_added_by_users(tagged: Library) -> None:
    with tagged.owner.transaction() as conn:
        conn.execute("UPDATE documents SET found_tags = '{found}'")
    with tagged.web.transaction(tagged.workspace) as conn:
        assert tags.list_recent_tags(conn, tagged.workspace) == ["barley", "late fee", "sea", "walrus"]
