"""Folders: documents arrive in them, are moved, listed and found there, and outlive them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import httpx
import pytest

from docyard.db import Database
from docyard.store.folders import ensure_folder
from docyard.store.words import fold_text_changes
from tests.web.visiting import BOUNDARY, Person, Shelf, hidden_fields, multipart, until

FORM = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
BAD_NAMES = ["", "   ", "x" * 201, "a\x00b", "a\u202eb"]


def folders(person: Person) -> dict[str, int]:
    found = person.get("/api/v1/folders").json()["folders"]
    return {each["name"]: each["documents"] for each in found}


def request(person: Person, method: str, path: str, **fields: str) -> httpx.Response:
    return person.http.request(method, path, data=fields, headers={"X-CSRF-Token": person.csrf})


def upload(person: Person, path: str, folder: str, text: bytes) -> httpx.Response:
    fields = hidden_fields(person.get("/").text) | {"folder": folder}
    return person.http.post(path, content=multipart(fields, (("a.txt", text),)), headers=FORM)


@pytest.mark.parametrize("path", ["/documents", "/api/v1/documents"])
def test_an_upload_lands_in_a_folder_that_is_made_for_it(editor: Person, path: str) -> None:
    assert upload(editor, path, " Claims  2026 ", b"one").status_code < 400
    assert upload(editor, path, "CLAIMS 2026", b"two").status_code < 400
    assert upload(editor, path, "", b"three").status_code < 400
    assert folders(editor) == {"Claims 2026": 2}
    listed = editor.get("/api/v1/documents").json()["documents"]
    assert [each["folder"] for each in listed] == [None, "Claims 2026", "Claims 2026"]
    assert '<option value="Claims 2026">' in editor.get("/").text


@pytest.mark.parametrize("name", BAD_NAMES[2:])
def test_an_upload_for_a_folder_that_cannot_be_is_refused(editor: Person, name: str) -> None:
    answer = upload(editor, "/api/v1/documents", name, b"text")
    assert answer.status_code == 400
    assert "name of a folder" in answer.json()["error"]
    assert editor.get("/api/v1/documents").json()["documents"] == []


def test_folders_are_made_renamed_and_removed_and_documents_stay(
    editor: Person, shelf: Shelf, workspace: UUID
) -> None:
    made = editor.post("/api/v1/folders", name="Claims")
    assert made.status_code == 201
    again = editor.post("/api/v1/folders", name="claims")
    assert (again.status_code, again.json()) == (200, made.json())
    document = shelf.put_read(workspace, "a.txt", "The text.")
    shelf.put_into(workspace, document, "claims")
    path = f"/api/v1/folders/{made.json()['id']}"
    assert request(editor, "PATCH", path, name="Old claims").status_code == 200
    assert folders(editor) == {"Old claims": 1}
    assert request(editor, "PATCH", path, name="OLD CLAIMS").status_code == 200, "its own name in capitals"
    editor.post("/api/v1/folders", name="Taken")
    assert request(editor, "PATCH", path, name="taken").status_code == 400
    assert request(editor, "DELETE", path).status_code == 204
    assert request(editor, "DELETE", path).status_code == 404
    kept = editor.get(f"/api/v1/documents/{document}").json()
    assert (kept["folder"], kept["folderId"], kept["status"]) == (None, None, "completed")
    assert folders(editor) == {"Taken": 0}


@pytest.mark.parametrize("name", BAD_NAMES)
def test_bad_names_are_refused(editor: Person, shelf: Shelf, workspace: UUID, name: str) -> None:
    assert editor.post("/api/v1/folders", name=name).status_code == 400
    folder = editor.post("/api/v1/folders", name="Good").json()["id"]
    assert request(editor, "PATCH", f"/api/v1/folders/{folder}", name=name).status_code == 400
    document = shelf.put_read(workspace, "a.txt", "The text.")
    moved = editor.post(f"/api/v1/documents/{document}/folder", folder=name)
    assert moved.status_code == (400 if name.strip() else 200), "no name takes it out"
    assert folders(editor) == {"Good": 0}


def test_a_document_is_moved_on_its_page(
    editor: Person, viewer: Person, shelf: Shelf, workspace: UUID
) -> None:
    document = shelf.put_read(workspace, "a.txt", "The text.")
    page = f"/documents/{document}"
    assert 'class="moving"' not in viewer.get(page).text
    fields = hidden_fields(editor.get(page).text) | {"folder": "Court & costs"}
    assert editor.http.post(f"{page}/folder", data=fields).status_code == 303
    shown = editor.get(page).text
    assert "It is in the folder Court &amp; costs now." in shown
    assert '<a href="/?folder=Court+%26+costs">Court &amp; costs</a>' in shown
    assert editor.http.post(f"{page}/folder", data=fields | {"folder": "x" * 300}).status_code == 303
    assert "between 1 and 200 letters" in editor.get(page).text
    assert folders(editor) == {"Court & costs": 1}
    editor.http.post(f"{page}/folder", data=fields | {"folder": ""})
    assert "It is in no folder now." in editor.get(page).text
    assert editor.http.post(f"{page}/folder", data={"folder": "Stolen"}).status_code == 403, "no token"


def test_lists_and_searches_are_narrowed_by_a_folder(
    viewer: Person, shelf: Shelf, workspace: UUID, database: Database
) -> None:
    inside = shelf.put_read(workspace, "in.txt", "The walrus in the folder.", "Inside")
    shelf.put_read(workspace, "out.txt", "The walrus in none.", "Outside")
    folder = shelf.put_into(workspace, inside, "Sea animals")
    with database.transaction() as conn:
        fold_text_changes(conn, 100)
    listed = viewer.get("/api/v1/documents?folder=sea%20animals").json()["documents"]
    assert [each["id"] for each in listed] == [str(inside)]
    page = viewer.get("/?folder=Sea+animals").text
    assert "in.txt" in page
    assert "out.txt" not in page
    assert "in this folder" in viewer.get("/?folder=nowhere%00").text
    for asked in (
        "q=walrus&folder=SEA+animals",
        f"q=walrus&folder={folder}",
        'q=walrus+folder:"Sea+animals"',
        "folder=Sea+animals",
        'q=folder:"sea+animals"',
    ):
        found = viewer.get(f"/api/v1/search?{asked}").json()
        assert [hit["documentId"] for hit in found["hits"]] == [str(inside)], asked
    assert viewer.get("/api/v1/search?q=walrus").json()["total"] == 2
    assert viewer.get("/api/v1/search?q=walrus&folder=nowhere").json()["total"] == 0
    searched = viewer.get("/search?q=walrus&folder=Sea+animals").text
    assert "Folder: Sea animals" in searched
    assert "<option selected>Sea animals</option>" in searched


def test_folders_of_another_workspace_do_not_exist(
    outsider: Person, shelf: Shelf, workspace: UUID, other_workspace: UUID
) -> None:
    mine = shelf.put_read(workspace, "mine.txt", "My walrus.")
    folder = shelf.put_into(workspace, mine, "Mine")
    theirs = shelf.put_read(other_workspace, "theirs.txt", "Their walrus.")
    assert folders(outsider) == {}
    for method in ("PATCH", "DELETE"):
        for name in (str(folder), str(uuid4()), "nonsense"):
            assert request(outsider, method, f"/api/v1/folders/{name}", name="x").status_code == 404
    assert outsider.post(f"/api/v1/documents/{mine}/folder", folder="Mine").status_code == 404
    assert folders(outsider) == {}, "nothing was made for a document that is not there"
    moved = outsider.post(f"/api/v1/documents/{theirs}/folder", folder="Mine").json()
    assert moved["folderId"] not in (None, str(folder))
    assert outsider.get(f"/api/v1/search?folder={folder}").json()["total"] == 0


def test_a_folder_made_by_two_at_once_is_one(database: Database, workspace: UUID) -> None:
    """The second waits for the first, in the middle of making it, and takes the same."""

    def make(name: str) -> UUID:
        with database.transaction() as conn:
            return ensure_folder(conn, workspace, name)[0]

    def waits() -> bool:
        with database.transaction() as conn:
            held = (
                "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            return conn.execute(held).fetchone() is not None

    with ThreadPoolExecutor(1) as thread:
        with database.transaction() as conn:
            first, made = ensure_folder(conn, workspace, "Claims")
            second = thread.submit(make, "CLAIMS")
            until(waits)
        assert (second.result(20), made) == (first, True)
