"""Semantic and hybrid search with hand-made vectors, and search without vector tables."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable
from typing import cast
from uuid import UUID, uuid4

import pytest

from docyard.db import Database
from docyard.model import timeouts
from docyard.pipeline.children import ChildPool
from docyard.search import Filters, QueryVector, embed_query, find_related, search
from docyard.search.hybrid_search import fuse_rankings
from docyard.search.lexical import FoundDocument
from docyard.store import embeddings
from tests.search.library import Library

SEA, LAND = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


@pytest.fixture
def shore(library: Library) -> Library:
    """Two documents about the sea, one about the land."""
    library.embed(library.put("walrus", "the walrus"), SEA)
    library.embed(library.put("seal", "a large marine mammal", "unrelated"), (0.9, 0.1, 0), LAND)
    library.embed(library.put("farm", "fields of walrus-free barley"), LAND)
    library.count()
    return library


def test_returns_nearest_documents_first_and_omits_distant_ones(shore: Library) -> None:
    result = shore.search("anything", "semantic", SEA)
    assert [shore.names[hit.document_id] for hit in result.hits] == ["walrus", "seal"]
    assert [hit.by for hit in result.hits] == ["meaning", "meaning"]
    assert result.hits[1].snippet.startswith("a large marine mammal")
    assert result.mode == "semantic"


def test_hybrid_search_combines_words_and_meaning(shore: Library) -> None:
    assert shore.find_names("walrus", "hybrid", SEA)[0] == "walrus"
    result = shore.search("walrus", "", SEA)
    assert (result.mode, result.note) == ("hybrid", None)
    assert {shore.names[hit.document_id]: hit.by for hit in result.hits} == {
        "walrus": "both",
        "seal": "meaning",
        "farm": "words",
    }


def test_hybrid_search_enforces_phrases_and_exclusions(shore: Library) -> None:
    assert shore.find_names('"the walrus"', "hybrid", SEA) == ["walrus"]
    assert shore.find_names("walrus -barley", "hybrid", SEA) == ["walrus"]
    assert shore.find_names('"no such phrase"', "hybrid", SEA) == []


def test_filters_apply_to_semantic_search(shore: Library) -> None:
    assert shore.find_names("x", "semantic", SEA, kinds=("pdf",)) == []
    assert shore.find_names("x", "semantic", SEA, kinds=("text",)) == ["walrus", "seal"]


def test_does_not_find_documents_of_other_workspaces(
    shore: Library, database: Database, web_database: Database, other_workspace: UUID
) -> None:
    theirs = Library(database, web_database, other_workspace)
    theirs.embed(theirs.put("theirs", "the walrus"), SEA)
    assert theirs.find_names("x", "semantic", SEA) == ["theirs"]
    assert shore.find_names("x", "semantic", SEA) == ["walrus", "seal"]
    with web_database.transaction() as conn:
        assert search(conn, "x", mode="semantic", meaning=QueryVector("three dimensions", str(list(SEA)))).hits == []


def test_uses_the_index_of_the_model_in_a_large_workspace(shore: Library, database: Database) -> None:
    with database.transaction(shore.workspace) as conn:
        conn.execute("SET LOCAL enable_seqscan = off")
        found = conn.execute(
            "SELECT c.document_id FROM nearest_chunks(1::smallint, %s, 2, -1, NULL, NULL, NULL, NULL, NULL, NULL) c",
            (str(list(SEA)),),
        ).fetchall()
    assert [shore.names[row["document_id"]] for row in found] == ["walrus", "seal"]


def test_vectors_of_two_models_are_never_compared(shore: Library, database: Database, web_database: Database) -> None:
    """A second model with other dimensions gets its own index; neither finds the other's vectors."""
    with database.transaction() as conn:
        other = embeddings.ensure_model(conn, "two", "two dimensions", 2)
        indexes = conn.execute(
            "SELECT indexdef FROM pg_indexes WHERE tablename = 'chunk_embeddings' AND indexdef LIKE '%hnsw%'"
        ).fetchall()
    assert len(indexes) == 2
    assert all("WHERE (model = " in row["indexdef"] for row in indexes)
    with web_database.transaction(shore.workspace) as conn:
        meaning = QueryVector("two dimensions", "[1,0]")
        assert search(conn, "x", mode="semantic", meaning=meaning).hits == []
    walrus = next(document for document, name in shore.names.items() if name == "walrus")
    with database.transaction() as conn:
        ids = [chunk for chunk, _ in embeddings.list_unembedded_chunks(conn, walrus, other, 9)]
        embeddings.save_embeddings(conn, other, ids, [b"\0\0\x80?\0\0\0\0"])
    with web_database.transaction(shore.workspace) as conn:
        assert [hit.document_id for hit in search(conn, "x", mode="semantic", meaning=meaning).hits] == [walrus]
    assert shore.find_names("x", "semantic", SEA) == ["seal"], "the new vector replaced the old one"


def test_vectors_are_removed_with_their_passages(shore: Library, database: Database) -> None:
    walrus = next(document for document, name in shore.names.items() if name == "walrus")
    shore.write(walrus, "the walrus, revised")
    assert shore.find_names("x", "semantic", SEA) == ["seal"]


@pytest.mark.parametrize("mode", ["", "hybrid", "semantic"])
def test_falls_back_to_lexical_search_without_vectors_and_states_why(
    shore: Library, database: Database, mode: str
) -> None:
    result = shore.search("walrus", mode)
    assert (result.mode, len(result.hits)) == ("lexical", 2)
    assert "embedding model did not respond" in (result.note or "")
    with database.transaction() as conn:
        conn.execute("DROP TABLE chunk_embeddings")
    result = shore.search("walrus", mode, SEA)
    assert (result.mode, len(result.hits)) == ("lexical", 2)
    assert "no pgvector" in (result.note or "")
    assert shore.search("walrus", "lexical").note is None


def test_prepare_embeddings_creates_missing_tables_and_extension(database: Database) -> None:
    with database.transaction() as conn:
        conn.execute("DROP TABLE chunk_embeddings")
        conn.execute("DROP EXTENSION vector CASCADE")
        assert not embeddings.has_vector_tables(conn)
        assert embeddings.prepare_embeddings(conn)
        assert embeddings.has_vector_tables(conn)


def test_fuses_rankings_by_reciprocal_rank() -> None:
    a, b, c = (FoundDocument(uuid4(), n, 9.0 - n) for n in range(3))
    ranked = fuse_rankings([a, b], [b, c])
    assert [one.found.document_id for one in ranked] == [b.document_id, a.document_id, c.document_id]
    assert ranked[0].score == pytest.approx(1 / 62 + 1 / 61)
    assert [one.score for one in fuse_rankings([a, b], [])] == [9.0, 8.0], "a single ranking keeps its scores"
    assert fuse_rankings([], [c], strict=True) == []


def test_finds_related_documents_by_words_without_vectors(library: Library, web_database: Database) -> None:
    first = library.put("a", "The walrus eats oysters and clams on the arctic shore.")
    library.put("b", "Oysters and clams are what a walrus eats.")
    for n in range(8):
        library.put(f"{n}", f"Invoice number {n} for the delivery of chairs and tables to the office.")
    library.count()
    with web_database.transaction(library.workspace) as conn:
        found = find_related(conn, first)
    assert [library.names[hit.document_id] for hit in found] == ["b"]


def test_finds_nothing_related_to_documents_of_other_workspaces(
    library: Library, database: Database, web_database: Database, other_workspace: UUID
) -> None:
    theirs = Library(database, web_database, other_workspace)
    secret = theirs.put("secret", "The walrus eats oysters.")
    library.put("mine", "The walrus eats oysters.")
    theirs.count()
    with web_database.transaction(library.workspace) as conn:
        assert find_related(conn, secret) == []


def test_filters_map_kinds_to_media_type_prefixes() -> None:
    assert Filters(kinds=("pdf",)).query_params()["types"] == ["application/pdf"]
    assert Filters().query_params() == dict.fromkeys(("types", "tags", "languages", "since", "until"))


class SlowChildren:
    """A child pool whose child is still loading the model."""

    def __init__(self) -> None:
        self.loaded = threading.Event()
        self.timeouts: list[float] = []

    def call(self, _: object, __: object, texts: list[str], *, seconds: float) -> list[bytes]:
        self.timeouts.append(seconds)
        self.loaded.wait(60)
        return [struct.pack("<3f", *SEA) for _ in texts]


def test_model_continues_to_load_after_a_query_timeout() -> None:
    slow = SlowChildren()
    children = cast("ChildPool", slow)
    assert embed_query(children, "walrus", patience=0.05) is None
    slow.loaded.set()
    found = embed_query(children, "walrus", patience=60)
    assert found is not None
    assert found.vector == "[1,0,0]"
    assert slow.timeouts == [timeouts.MODEL_LOAD] * 2, "the child may take the full load timeout"


def test_limits_the_searches_that_wait_for_a_vector() -> None:
    slow = SlowChildren()
    children = cast("ChildPool", slow)
    for _ in range(40):
        assert embed_query(children, "walrus", patience=0.001) is None
    assert len(slow.timeouts) <= 32
    slow.loaded.set()
    assert eventually(lambda: embed_query(children, "walrus", patience=60) is not None)


def eventually(holds: Callable[[], bool]) -> bool:
    waiting = threading.Event()
    return any(holds() or waiting.wait(0.02) for _ in range(1000))
