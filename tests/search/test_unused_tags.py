"""Unused tags are removed; tags in use are kept, even if they are added concurrently."""

from __future__ import annotations

from docyard.search import find_tags
from docyard.store import embeddings, tags
from tests.search.library import FINGERPRINT, Library, list_tags


def forget_unused(library: Library, limit: int = 1000) -> tuple[int, int]:
    with library.owner.transaction() as conn:
        return tags.delete_unused_tags(conn, limit, 0.0)


def registry(library: Library) -> list[str]:
    with library.owner.transaction() as conn:
        return list_tags(conn, library.workspace)


def test_removes_tags_with_their_last_document(library: Library) -> None:
    library.put("a", "text", tags=["Lease", "sea"])
    other = library.put("b", "text", tags=["LEASE", "old", "harbour"])
    gone = library.put("c", "text", tags=["deleted", "sea"])
    with library.owner.transaction() as conn:
        model = embeddings.ensure_model(conn, "three", FINGERPRINT, 3)
        for tag in tags.list_unembedded_of_workspace(conn, library.workspace, model, 9):
            conn.execute(
                "INSERT INTO tag_embeddings VALUES (%s, %s, %s, '[1,0,0]')", (tag[0], model, library.workspace)
            )
        conn.execute("UPDATE documents SET tags = '{lease}', found_tags = '{harbour}' WHERE id = %s", (other,))
        conn.execute("UPDATE documents SET deleted_at = now() WHERE id = %s", (gone,))
    assert forget_unused(library) == (5, 2)
    assert registry(library) == ["harbour", "Lease", "sea"]
    with library.owner.transaction() as conn:
        assert conn.execute("SELECT count(*) AS n FROM tag_embeddings").fetchone() == {"n": 3}
        conn.execute("UPDATE documents SET tags = '{Old}' WHERE id = %s", (other,))
    assert registry(library) == ["harbour", "Lease", "Old", "sea"], "a tag that is added again is registered again"


def test_checks_the_least_recently_checked_tags_first(library: Library) -> None:
    document = library.put("a", "text", tags=["a", "b", "c"])
    with library.owner.transaction() as conn:
        conn.execute("UPDATE documents SET tags = '{b}' WHERE id = %s", (document,))
    assert [forget_unused(library, 2) for _ in range(2)] == [(2, 1), (2, 1)]
    assert registry(library) == ["b"]
    with library.owner.transaction() as conn:
        assert tags.delete_unused_tags(conn, 9, 3600.0) == (0, 0), "it was just checked"


def test_unused_tags_do_not_hide_tags_in_use(library: Library) -> None:
    document = library.put("a", "text", tags=[f"tag {number}" for number in range(9)])
    library.put("b", "text", tags=["tag of these days"])
    with library.owner.transaction() as conn:
        conn.execute("UPDATE documents SET tags = '{}' WHERE id = %s", (document,))
    assert forget_unused(library) == (10, 9)
    with library.web.transaction(library.workspace) as conn:
        found = find_tags(conn, "tag", limit=1)
    assert [each.name for each in found.tags] == ["tag of these days"]


def test_keeps_a_tag_that_another_transaction_is_adding(library: Library) -> None:
    document = library.put("a", "text", tags=["old", "older"])
    library.put("b", "text", tags=["b"])
    with library.owner.transaction() as conn:
        conn.execute("UPDATE documents SET tags = '{}' WHERE id = %s", (document,))
    with library.web.transaction(library.workspace) as conn:
        conn.execute("INSERT INTO documents (workspace_id, name, tags) VALUES (%s, 'c', '{old}')", (library.workspace,))
        assert forget_unused(library) == (3, 0), "the locked workspace is skipped"
    assert forget_unused(library) == (3, 1)
    assert registry(library) == ["b", "old"]
