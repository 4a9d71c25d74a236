"""Tags on the pages and in the API."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Database
from docyard.inference.embedding import embed, find_model
from docyard.store import embeddings, tags
from docyard.store.word_counts import fold_text_changes
from tests.web.site import Client, Library


@pytest.fixture
def tagged(shelf: Library, workspace: UUID, database: Database) -> UUID:
    """A document with a tag from a user and two found tags."""
    document = shelf.add_processed(workspace, "van.txt", "The van is parked.", "Van")
    with database.transaction() as conn:
        conn.execute(
            "UPDATE documents SET tags = '{Vehicle}', found_tags = '{vehicle,parking & rent}' WHERE id = %s",
            (document,),
        )
        fold_text_changes(conn, 100)
    return document


def test_tags_from_users_come_before_found_tags(viewer: Client, tagged: UUID) -> None:
    shown = viewer.get(f"/api/v1/documents/{tagged}").json()
    assert (shown["tags"], shown["foundTags"]) == (["Vehicle", "parking & rent"], ["parking & rent"])
    for path in ("/", f"/documents/{tagged}"):
        page = viewer.get(path).text
        assert '<a class="tag" href="/?tag=Vehicle">Vehicle</a>' in page
        assert 'href="/?tag=parking+%26+rent" title="Found by classification">parking &amp; rent</a>' in page


def test_filters_the_list_by_tag(viewer: Client, shelf: Library, workspace: UUID, tagged: UUID) -> None:
    shelf.add_processed(workspace, "other.txt", "Another text.", "Another")
    for tag in ("vehicle", "parking %26 rent"):
        listed = viewer.get(f"/api/v1/documents?tag={tag}").json()["documents"]
        assert [each["id"] for each in listed] == [str(tagged)]
    page = viewer.get("/?tag=VEHICLE&status=completed").text
    assert "van.txt" in page
    assert "other.txt" not in page
    assert 'href="/?status=completed">Tag: VEHICLE' in page
    assert "with this tag" in viewer.get("/?tag=nothing%00").text


def test_suggests_known_tags_to_editors(editor: Client, viewer: Client, tagged: UUID) -> None:
    assert '<option value="Vehicle">' in editor.get("/").text
    assert "known-tags" not in viewer.get("/").text


def test_finds_tags_by_name_without_a_model(viewer: Client, tagged: UUID) -> None:
    found = viewer.get("/api/v1/tags?q=park").json()
    assert found["tags"] == [{"name": "parking & rent", "documents": 1, "closeness": None}]
    assert found["by"] == "name"
    assert "Semantic search is off" in found["note"]
    assert [each["name"] for each in viewer.get("/api/v1/tags?limit=1").json()["tags"]] == ["parking & rent"]
    assert viewer.get("/api/v1/tags?q=%00").json()["by"] == "use"
    assert viewer.get("/api/v1/tags?limit=x").status_code == 400


def test_search_offers_related_tags(knowing: Client, tagged: UUID, database: Database) -> None:
    model = find_model()
    assert model
    with database.transaction() as conn:
        number = embeddings.ensure_model(conn, model.name, model.fingerprint, model.dims)
        missing = tags.list_unembedded_of_workspace(conn, knowing.workspace_id or UUID(int=0), number, 9)
        vectors = embed(model.folder, [name for _, name in missing])
        tags.save_embeddings(conn, number, missing, vectors)
    found = knowing.get("/api/v1/tags?q=car").json()
    assert (found["by"], found["tags"][0]["name"]) == ("meaning", "Vehicle")
    page = knowing.get("/search?q=car").text
    assert "Related tags" in page
    assert 'href="/search?q=car&amp;tag=Vehicle">Vehicle</a>' in page
    narrowed = knowing.get("/search?q=parked&tag=vehicle").text
    assert "1 document for" in narrowed
    assert 'href="/search?q=parked">Tag: vehicle' in narrowed
    assert "1 document<" in knowing.get("/search?tag=vehicle").text, "a tag filter needs no words"
