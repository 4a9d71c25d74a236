"""Search by meaning and by both, with vectors made by hand; and without the place for them."""

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
from docyard.search import Filters, Meaning, meaning_of, related, search
from docyard.search.finding import fused
from docyard.search.lexical import Found
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


def test_the_nearest_come_first_and_what_is_far_is_not_found(shore: Library) -> None:
    result = shore.search("anything", "semantic", SEA)
    assert [shore.names[hit.document_id] for hit in result.hits] == ["walrus", "seal"]
    assert [hit.by for hit in result.hits] == ["meaning", "meaning"]
    assert result.hits[1].snippet.startswith("a large marine mammal")
    assert result.mode == "semantic"


def test_both_ways_add_up(shore: Library) -> None:
    assert shore.found("walrus", "hybrid", SEA)[0] == "walrus"
    result = shore.search("walrus", "", SEA)
    assert (result.mode, result.note) == ("hybrid", None)
    assert {shore.names[hit.document_id]: hit.by for hit in result.hits} == {
        "walrus": "both",
        "seal": "meaning",
        "farm": "words",
    }


def test_what_must_hold_only_words_can_tell(shore: Library) -> None:
    assert shore.found('"the walrus"', "hybrid", SEA) == ["walrus"]
    assert shore.found("walrus -barley", "hybrid", SEA) == ["walrus"]
    assert shore.found('"no such phrase"', "hybrid", SEA) == []


def test_filters_narrow_meaning_too(shore: Library) -> None:
    assert shore.found("x", "semantic", SEA, kinds=("pdf",)) == []
    assert shore.found("x", "semantic", SEA, kinds=("text",)) == ["walrus", "seal"]


def test_other_workspaces_are_out_of_reach(
    shore: Library, database: Database, web_database: Database, other_workspace: UUID
) -> None:
    theirs = Library(database, web_database, other_workspace)
    theirs.embed(theirs.put("theirs", "the walrus"), SEA)
    assert theirs.found("x", "semantic", SEA) == ["theirs"]
    assert shore.found("x", "semantic", SEA) == ["walrus", "seal"]
    with web_database.transaction() as conn:
        assert (
            search(conn, "x", mode="semantic", meaning=Meaning("three dimensions", str(list(SEA)))).hits == []
        )


def test_a_large_workspace_is_searched_through_the_models_index(shore: Library, database: Database) -> None:
    with database.transaction(shore.workspace) as conn:
        conn.execute("SET LOCAL enable_seqscan = off")
        found = conn.execute(
            "SELECT c.document_id FROM nearest_chunks("
            "1::smallint, %s, 2, -1, NULL, NULL, NULL, NULL, NULL, NULL) c",
            (str(list(SEA)),),
        ).fetchall()
    assert [shore.names[row["document_id"]] for row in found] == ["walrus", "seal"]


def test_vectors_of_two_models_never_meet(shore: Library, database: Database, web_database: Database) -> None:
    """A second model of other dimensions gets an index of its own, and neither finds what the other made."""
    with database.transaction() as conn:
        other = embeddings.ensure_model(conn, "two", "two dimensions", 2)
        indexes = conn.execute(
            "SELECT indexdef FROM pg_indexes WHERE tablename = 'chunk_embeddings' AND indexdef LIKE '%hnsw%'"
        ).fetchall()
    assert len(indexes) == 2
    assert all("WHERE (model = " in row["indexdef"] for row in indexes)
    with web_database.transaction(shore.workspace) as conn:
        meaning = Meaning("two dimensions", "[1,0]")
        assert search(conn, "x", mode="semantic", meaning=meaning).hits == []
    walrus = next(document for document, name in shore.names.items() if name == "walrus")
    with database.transaction() as conn:
        ids = [chunk for chunk, _ in embeddings.missing_chunks(conn, walrus, other, 9)]
        embeddings.save_embeddings(conn, other, ids, [b"\0\0\x80?\0\0\0\0"])
    with web_database.transaction(shore.workspace) as conn:
        assert [hit.document_id for hit in search(conn, "x", mode="semantic", meaning=meaning).hits] == [
            walrus
        ]
    assert shore.found("x", "semantic", SEA) == ["seal"], "the new vector took the place of the old"


def test_vectors_go_with_their_passages(shore: Library, database: Database) -> None:
    walrus = next(document for document, name in shore.names.items() if name == "walrus")
    shore.write(walrus, "the walrus, revised")
    assert shore.found("x", "semantic", SEA) == ["seal"]


@pytest.mark.parametrize("mode", ["", "hybrid", "semantic"])
def test_without_vectors_search_goes_by_words_and_says_so(
    shore: Library, database: Database, mode: str
) -> None:
    result = shore.search("walrus", mode)
    assert (result.mode, len(result.hits)) == ("lexical", 2)
    assert "model that makes vectors did not answer" in (result.note or "")
    with database.transaction() as conn:
        conn.execute("DROP TABLE chunk_embeddings")
    result = shore.search("walrus", mode, SEA)
    assert (result.mode, len(result.hits)) == ("lexical", 2)
    assert "no pgvector" in (result.note or "")
    assert shore.search("walrus", "lexical").note is None


def test_the_place_for_vectors_is_made_again_when_it_can_be(database: Database) -> None:
    with database.transaction() as conn:
        conn.execute("DROP TABLE chunk_embeddings")
        conn.execute("DROP EXTENSION vector CASCADE")
        assert not embeddings.can_keep_embeddings(conn)
        assert embeddings.prepare_embeddings(conn)
        assert embeddings.can_keep_embeddings(conn)


def test_ranks_are_fused_by_their_reciprocals() -> None:
    a, b, c = (Found(uuid4(), n, 9.0 - n) for n in range(3))
    placed = fused([a, b], [b, c])
    assert [one.found.document_id for one in placed] == [b.document_id, a.document_id, c.document_id]
    assert placed[0].score == pytest.approx(1 / 62 + 1 / 61)
    assert [one.score for one in fused([a, b], [])] == [9.0, 8.0], "one ranking alone keeps its scores"
    assert fused([], [c], strict=True) == []


def test_related_documents_by_words_where_there_are_no_vectors(
    library: Library, web_database: Database
) -> None:
    first = library.put("a", "The walrus eats oysters and clams on the arctic shore.")
    library.put("b", "Oysters and clams are what a walrus eats.")
    for n in range(8):
        library.put(f"{n}", f"Invoice number {n} for the delivery of chairs and tables to the office.")
    library.count()
    with web_database.transaction(library.workspace) as conn:
        found = related(conn, first)
    assert [library.names[hit.document_id] for hit in found] == ["b"]


def test_nothing_is_related_to_what_is_not_ones_own(
    library: Library, database: Database, web_database: Database, other_workspace: UUID
) -> None:
    theirs = Library(database, web_database, other_workspace)
    secret = theirs.put("secret", "The walrus eats oysters.")
    library.put("mine", "The walrus eats oysters.")
    theirs.count()
    with web_database.transaction(library.workspace) as conn:
        assert related(conn, secret) == []


def test_filters_know_kinds_by_how_media_types_begin() -> None:
    assert Filters(kinds=("pdf",)).given()["types"] == ["application/pdf"]
    assert Filters().given() == dict.fromkeys(("types", "tags", "languages", "since", "until"))


class SlowChildren:
    """Children of which one is still loading the model."""

    def __init__(self) -> None:
        self.loaded = threading.Event()
        self.asked: list[float] = []

    def call(self, _: object, __: object, texts: list[str], *, seconds: float) -> list[bytes]:
        self.asked.append(seconds)
        self.loaded.wait(60)
        return [struct.pack("<3f", *SEA) for _ in texts]


def test_who_does_not_wait_for_the_model_lets_it_go_on_loading() -> None:
    slow = SlowChildren()
    children = cast("ChildPool", slow)
    assert meaning_of(children, "walrus", patience=0.05) is None
    slow.loaded.set()
    found = meaning_of(children, "walrus", patience=60)
    assert found is not None
    assert found.vector == "[1,0,0]"
    assert slow.asked == [timeouts.MODEL_LOAD] * 2, "it may load for as long as a busy machine needs"


def test_searches_do_not_pile_up_behind_a_model_that_does_not_answer() -> None:
    slow = SlowChildren()
    children = cast("ChildPool", slow)
    for _ in range(40):
        assert meaning_of(children, "walrus", patience=0.001) is None
    assert len(slow.asked) <= 32
    slow.loaded.set()
    assert eventually(lambda: meaning_of(children, "walrus", patience=60) is not None)


def eventually(holds: Callable[[], bool]) -> bool:
    waiting = threading.Event()
    return any(holds() or waiting.wait(0.02) for _ in range(1000))
