"""Folders: uploads into them, moves, filters, and removal without loss of documents."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import httpx
import pytest

from docyard.db import Database
from docyard.store.folders import ensure_folder
from docyard.store.word_counts import fold_text_changes
from tests.web.site import BOUNDARY, Client, Library, hidden_fields, multipart, wait_until

FORM = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
BAD_NAMES = ["", "   ", "x" * 201, "a\x00b", "a\u202eb"]


def list_folders(person: Client) -> dict[str, int]:
    found = person.get("/api/v1/folders").json()["folders"]
    return {each["name"]: each["documents"] for each in found}


def send(person: Client, method: str, path: str, **fields: str) -> httpx.Response:
    return person.http.request(method, path, data=fields, headers={"X-CSRF-Token": person.csrf})


def upload(person: Client, path: str, folder: str, text: bytes) -> httpx.Response:
    fields = hidden_fields(person.get("/").text) | {"folder": folder}
    return person.http.post(path, content=multipart(fields, (("a.txt", text),)), headers=FORM)


@pytest.mark.parametrize("path", ["/documents", "/api/v1/documents"])
def test_upload_creates_its_folder(editor: Client, path: str) -> None:
    assert upload(editor, path, " Claims  2026 ", b"one").status_code < 400
    assert upload(editor, path, "CLAIMS 2026", b"two").status_code < 400
    assert upload(editor, path, "", b"three").status_code < 400
    assert list_folders(editor) == {"Claims 2026": 2}
    listed = editor.get("/api/v1/documents").json()["documents"]
    assert [each["folder"] for each in listed] == [None, "Claims 2026", "Claims 2026"]
    assert '<option value="Claims 2026">' in editor.get("/").text


@pytest.mark.parametrize("name", BAD_NAMES[2:])
def test_refuses_upload_with_invalid_folder_name(editor: Client, name: str) -> None:
    answer = upload(editor, "/api/v1/documents", name, b"text")
    assert answer.status_code == 400
    assert "name of a folder" in answer.json()["error"]
    assert editor.get("/api/v1/documents").json()["documents"] == []


def test_creates_renames_and_removes_folders_but_keeps_documents(
    editor: Client, shelf: Library, workspace: UUID
) -> None:
    made = editor.post("/api/v1/folders", name="Claims")
    assert made.status_code == 201
    again = editor.post("/api/v1/folders", name="claims")
    assert (again.status_code, again.json()) == (200, made.json())
    document = shelf.add_processed(workspace, "a.txt", "The text.")
    shelf.move_to_folder(workspace, document, "claims")
    path = f"/api/v1/folders/{made.json()['id']}"
    assert send(editor, "PATCH", path, name="Old claims").status_code == 200
    assert list_folders(editor) == {"Old claims": 1}
    assert send(editor, "PATCH", path, name="OLD CLAIMS").status_code == 200, "only the case changes"
    editor.post("/api/v1/folders", name="Taken")
    assert send(editor, "PATCH", path, name="taken").status_code == 400
    assert send(editor, "DELETE", path).status_code == 204
    assert send(editor, "DELETE", path).status_code == 404
    kept = editor.get(f"/api/v1/documents/{document}").json()
    assert (kept["folder"], kept["folderId"], kept["status"]) == (None, None, "completed")
    assert list_folders(editor) == {"Taken": 0}


@pytest.mark.parametrize("name", BAD_NAMES)
def test_refuses_invalid_folder_names(editor: Client, shelf: Library, workspace: UUID, name: str) -> None:
    assert editor.post("/api/v1/folders", name=name).status_code == 400
    folder = editor.post("/api/v1/folders", name="Good").json()["id"]
    assert send(editor, "PATCH", f"/api/v1/folders/{folder}", name=name).status_code == 400
    document = shelf.add_processed(workspace, "a.txt", "The text.")
    moved = editor.post(f"/api/v1/documents/{document}/folder", folder=name)
    assert moved.status_code == (400 if name.strip() else 200), "an empty name removes the document from its folder"
    assert list_folders(editor) == {"Good": 0}


def test_moves_a_document_on_its_page(editor: Client, viewer: Client, shelf: Library, workspace: UUID) -> None:
    document = shelf.add_processed(workspace, "a.txt", "The text.")
    page = f"/documents/{document}"
    assert 'class="moving"' not in viewer.get(page).text
    fields = hidden_fields(editor.get(page).text) | {"folder": "Court & costs"}
    assert editor.http.post(f"{page}/folder", data=fields).status_code == 303
    shown = editor.get(page).text
    assert "Moved to the folder Court &amp; costs." in shown
    assert '<a href="/?folder=Court+%26+costs">Court &amp; costs</a>' in shown
    assert editor.http.post(f"{page}/folder", data=fields | {"folder": "x" * 300}).status_code == 303
    assert "1 to 200 characters" in editor.get(page).text
    assert list_folders(editor) == {"Court & costs": 1}
    editor.http.post(f"{page}/folder", data=fields | {"folder": ""})
    assert "Removed from its folder." in editor.get(page).text
    assert editor.http.post(f"{page}/folder", data={"folder": "Stolen"}).status_code == 403, "no token"


def test_folder_filters_lists_and_searches(viewer: Client, shelf: Library, workspace: UUID, database: Database) -> None:
    inside = shelf.add_processed(workspace, "in.txt", "The walrus in the folder.", "Inside")
    shelf.add_processed(workspace, "out.txt", "The walrus in none.", "Outside")
    folder = shelf.move_to_folder(workspace, inside, "Sea animals")
    with database.transaction() as conn:
        fold_text_changes(conn, 100)
    listed = viewer.get("/api/v1/documents?folder=sea%20animals").json()["documents"]
    assert [each["id"] for each in listed] == [str(inside)]
    page = viewer.get("/?folder=Sea+animals").text
    assert "in.txt" in page
    assert "out.txt" not in page
    assert "in this folder" in viewer.get("/?folder=nowhere%00").text
    for params in (
        "q=walrus&folder=SEA+animals",
        f"q=walrus&folder={folder}",
        'q=walrus+folder:"Sea+animals"',
        "folder=Sea+animals",
        'q=folder:"sea+animals"',
    ):
        found = viewer.get(f"/api/v1/search?{params}").json()
        assert [hit["documentId"] for hit in found["hits"]] == [str(inside)], params
    assert viewer.get("/api/v1/search?q=walrus").json()["total"] == 2
    assert viewer.get("/api/v1/search?q=walrus&folder=nowhere").json()["total"] == 0
    searched = viewer.get("/search?q=walrus&folder=Sea+animals").text
    assert "Folder: Sea animals" in searched
    assert "<option selected>Sea animals</option>" in searched


def test_hides_folders_of_other_workspaces(
    outsider: Client, shelf: Library, workspace: UUID, other_workspace: UUID
) -> None:
    mine = shelf.add_processed(workspace, "mine.txt", "My walrus.")
    folder = shelf.move_to_folder(workspace, mine, "Mine")
    theirs = shelf.add_processed(other_workspace, "theirs.txt", "Their walrus.")
    assert list_folders(outsider) == {}
    for method in ("PATCH", "DELETE"):
        for name in (str(folder), str(uuid4()), "nonsense"):
            assert send(outsider, method, f"/api/v1/folders/{name}", name="x").status_code == 404
    assert outsider.post(f"/api/v1/documents/{mine}/folder", folder="Mine").status_code == 404
    assert list_folders(outsider) == {}, "no folder is created for a missing document"
    moved = outsider.post(f"/api/v1/documents/{theirs}/folder", folder="Mine").json()
    assert moved["folderId"] not in (None, str(folder))
    assert outsider.get(f"/api/v1/search?folder={folder}").json()["total"] == 0


def test_concurrent_creation_yields_one_folder(database: Database, workspace: UUID) -> None:
    """The second transaction waits for the first, then returns the same folder."""

    def make(name: str) -> UUID:
        with database.transaction() as conn:
            return ensure_folder(conn, workspace, name)[0]

    def is_blocked() -> bool:
        with database.transaction() as conn:
            query = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            return conn.execute(query).fetchone() is not None

    with ThreadPoolExecutor(1) as thread:
        with database.transaction() as conn:
            first, made = ensure_folder(conn, workspace, "Claims")
            second = thread.submit(make, "CLAIMS")
            wait_until(is_blocked)
        assert (second.result(20), made) == (first, True)
