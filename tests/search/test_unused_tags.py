"""Tags that no document has any more go, those in use never do, whoever writes them at the same time."""

from __future__ import annotations

from docyard.search import find_tags
from docyard.store import embeddings, tags
from tests.search.library import FINGERPRINT, Library, known_tags


def look(library: Library, most: int = 1000) -> tuple[int, int]:
    with library.owner.transaction() as conn:
        return tags.forget_unused(conn, most, 0.0)


def registry(library: Library) -> list[str]:
    with library.owner.transaction() as conn:
        return known_tags(conn, library.workspace)


def test_tags_go_with_the_last_document_that_has_them(library: Library) -> None:
    library.put("a", "text", tags=["Lease", "sea"])
    other = library.put("b", "text", tags=["LEASE", "old", "harbour"])
    gone = library.put("c", "text", tags=["deleted", "sea"])
    with library.owner.transaction() as conn:
        model = embeddings.ensure_model(conn, "three", FINGERPRINT, 3)
        for tag in tags.missing_of_workspace(conn, library.workspace, model, 9):
            conn.execute(
                "INSERT INTO tag_embeddings VALUES (%s, %s, %s, '[1,0,0]')",
                (tag[0], model, library.workspace),
            )
        conn.execute(
            "UPDATE documents SET tags = '{lease}', found_tags = '{harbour}' WHERE id = %s", (other,)
        )
        conn.execute("UPDATE documents SET deleted_at = now() WHERE id = %s", (gone,))
    assert look(library) == (5, 2)
    assert registry(library) == ["harbour", "Lease", "sea"]
    with library.owner.transaction() as conn:
        assert conn.execute("SELECT count(*) AS n FROM tag_embeddings").fetchone() == {"n": 3}
        conn.execute("UPDATE documents SET tags = '{Old}' WHERE id = %s", (other,))
    assert registry(library) == ["harbour", "Lease", "Old", "sea"], "it is known again when it is given again"


def test_each_time_those_are_looked_at_that_were_not_for_longest(library: Library) -> None:
    document = library.put("a", "text", tags=["a", "b", "c"])
    with library.owner.transaction() as conn:
        conn.execute("UPDATE documents SET tags = '{b}' WHERE id = %s", (document,))
    assert [look(library, 2) for _ in range(2)] == [(2, 1), (2, 1)]
    assert registry(library) == ["b"]
    with library.owner.transaction() as conn:
        assert tags.forget_unused(conn, 9, 3600.0) == (0, 0), "it was looked at just now"


def test_tags_in_use_are_not_hidden_by_those_that_were(library: Library) -> None:
    document = library.put("a", "text", tags=[f"tag {number}" for number in range(9)])
    library.put("b", "text", tags=["tag of these days"])
    with library.owner.transaction() as conn:
        conn.execute("UPDATE documents SET tags = '{}' WHERE id = %s", (document,))
    assert look(library) == (10, 9)
    with library.web.transaction(library.workspace) as conn:
        found = find_tags(conn, "tag", most=1)
    assert [each.name for each in found.tags] == ["tag of these days"]


def test_a_tag_that_somebody_is_giving_stays(library: Library) -> None:
    document = library.put("a", "text", tags=["old", "older"])
    library.put("b", "text", tags=["b"])
    with library.owner.transaction() as conn:
        conn.execute("UPDATE documents SET tags = '{}' WHERE id = %s", (document,))
    with library.web.transaction(library.workspace) as conn:
        conn.execute(
            "INSERT INTO documents (workspace_id, name, tags) VALUES (%s, 'c', '{old}')", (library.workspace,)
        )
        assert look(library) == (3, 0), "the workspace is left for the next time"
    assert look(library) == (3, 1)
    assert registry(library) == ["b", "old"]
