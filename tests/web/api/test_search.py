"""The Search page and its API: modes, filters, suggestions and related documents."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Database
from docyard.store.word_counts import fold_text_changes
from tests.web.conftest import WALRUS
from tests.web.site import Client, Library


def test_search_reports_its_mode(viewer: Client, read: tuple[UUID, UUID]) -> None:
    found = viewer.get("/api/v1/search?q=walrus").json()
    assert [hit["name"] for hit in found["hits"]] == ["walrus.txt"]
    assert (found["mode"], found["more"], found["suggestion"]) == ("lexical", False, None)
    assert "Semantic search is off" in found["note"]
    assert found["hits"][0]["foundBy"] == "words"
    assert viewer.get("/api/v1/search?q=walrus&mode=lexical").json()["note"] is None
    assert "Semantic search is off" in viewer.get("/search?q=walrus").text


@pytest.mark.parametrize(
    ("narrowed", "names"),
    [
        ("", ["walrus.txt"]),
        ("&kind=text", ["walrus.txt"]),
        ("&kind=pdf", []),
        ("&tag=zoo", ["walrus.txt"]),
        ("&tag=zoo,other", []),
        ("&language=EN", ["walrus.txt"]),
        ("&language=de", []),
        ("&since=2000-01-01&until=2999-01-01", ["walrus.txt"]),
        ("&until=2000-01-01", []),
    ],
)
def test_filters_search_results(viewer: Client, read: tuple[UUID, UUID], narrowed: str, names: list[str]) -> None:
    found = viewer.get(f"/api/v1/search?q=walrus{narrowed}").json()
    assert [hit["name"] for hit in found["hits"]] == names
    assert ("Nothing found" in viewer.get(f"/search?q=walrus{narrowed}").text) == (not names)


@pytest.mark.parametrize("wrong", ["mode=magic", "kind=spoon", "since=soon", "until=2026-02-30"])
def test_refuses_invalid_parameters_with_a_message(viewer: Client, wrong: str) -> None:
    answer = viewer.get(f"/api/v1/search?q=walrus&{wrong}")
    assert answer.status_code == 400
    assert wrong.split("=", maxsplit=1)[0] in answer.json()["error"]


def test_suggests_corrected_spelling(viewer: Client, read: tuple[UUID, UUID]) -> None:
    page = viewer.get("/search?q=wlarus&kind=text").text
    assert "Did you mean" in page
    assert 'href="/search?q=walrus&amp;kind=text&amp;page=1"' in page


def test_search_page_keeps_its_filters(viewer: Client, read: tuple[UUID, UUID]) -> None:
    page = viewer.get("/search?q=walrus&kind=text&tag=%22%3Ezoo&mode=lexical").text
    assert "<option selected>text</option>" in page
    assert '<option value="lexical" selected>' in page
    assert 'value="&#34;&gt;zoo"' in page


def test_semantic_search_finds_and_marks_the_passage(knowing: Client, read: tuple[UUID, UUID]) -> None:
    found = knowing.get("/api/v1/search?q=arctic+sea+animals").json()
    assert (found["mode"], found["note"]) == ("hybrid", None)
    assert [(hit["name"], hit["foundBy"]) for hit in found["hits"]] == [("walrus.txt", "meaning")]
    page = knowing.get("/search?q=arctic+sea+animals").text
    assert f"start=0&amp;end={len(WALRUS)}#pages" in page
    assert "Semantic match" in page
    assert knowing.get("/api/v1/search?q=arctic+sea+animals&mode=lexical").json()["hits"] == []


def test_shows_related_documents(
    viewer: Client, shelf: Library, workspace: UUID, read: tuple[UUID, UUID], database: Database
) -> None:
    shelf.add_processed(workspace, "seal.txt", "A marine mammal: the seal, which also lives on ice.", "Seal")
    with database.transaction() as conn:
        fold_text_changes(conn, 100)
    walrus, invoice = read
    found = viewer.get(f"/api/v1/documents/{walrus}/related").json()
    assert [hit["name"] for hit in found["hits"]] == ["seal.txt"]
    assert "Related documents" in viewer.get(f"/documents/{walrus}").text
    assert viewer.get(f"/api/v1/documents/{invoice}/related").json()["hits"] == []
    assert "Related documents" not in viewer.get(f"/documents/{invoice}").text
