"""Uploads with the form and the API."""

from __future__ import annotations

import socket
from http import HTTPStatus
from http.client import HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID

import httpx
import pytest

from docyard.db import Database
from docyard.model import timeouts
from tests.web.site import BOUNDARY, Client, Library, hidden_fields, multipart, wait_until

NASTY = "../../\x00" + "ä" * 143 + ".pdf"  # 297 bytes
KIND = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


def list_names(editor: Client) -> list[str]:
    return [each["name"] for each in editor.get("/api/v1/documents").json()["documents"]]


def list_partial_files(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "blobs").glob("arriving/*"))


def test_form_receives_files_and_shows_each_result(editor: Client, shelf: Library) -> None:
    fields = hidden_fields(editor.get("/").text) | {"tags": "lease, 2024 ,lease,"}
    body = multipart(fields, (("one.txt", b"one"), ("two.txt", b"two"), ("again.txt", b"one")))
    response = editor.http.post("/documents", content=body, headers=KIND)
    assert (response.status_code, response.headers["location"]) == (303, "/")
    page = editor.get("/").text
    assert "one.txt uploaded." in page
    assert "two.txt uploaded." in page
    assert "again.txt already exists as one.txt." in page
    assert editor.get("/api/v1/documents").json()["documents"][0]["tags"] == ["lease", "2024"]
    assert "one.txt uploaded." not in editor.get("/").text, "notices are shown once"


def test_refuses_form_without_file(editor: Client) -> None:
    body = multipart({"csrf": editor.csrf}, (("", b""),))
    response = editor.http.post("/documents", content=body, headers=KIND)
    assert response.status_code == 400
    assert "No file was sent" in response.text


def test_api_returns_a_result_per_file(editor: Client) -> None:
    response = editor.upload(("one.txt", b"one"), ("empty.txt", b""))
    assert response.status_code == 201
    first, second = response.json()["documents"]
    assert (first["name"], first["status"]) == ("one.txt", "received")
    assert str(UUID(first["documentId"])) == first["documentId"]
    assert second["status"] == "received"
    again = editor.upload(("uno.txt", b"one"))
    assert again.status_code == 200
    assert again.json()["documents"] == [
        {"name": "uno.txt", "status": "duplicate", "documentId": first["documentId"], "existingName": "one.txt"}
    ]


def test_same_content_in_another_workspace_is_not_a_duplicate(editor: Client, outsider: Client) -> None:
    editor.upload(("one.txt", b"one"))
    assert outsider.upload(("one.txt", b"one")).json()["documents"][0]["status"] == "received"


def test_cleans_hostile_file_names(editor: Client, tmp_path: Path) -> None:
    assert len(NASTY.encode()) >= 297
    outcome = editor.upload((NASTY, b"%PDF")).json()["documents"][0]
    assert outcome["status"] == "received"
    (name,) = list_names(editor)
    assert len(name.encode()) <= 255
    assert name.endswith("ä.pdf")
    assert not set(name) & {"/", "\x00"}
    kept = [path.name for path in (tmp_path / "blobs").glob("*/**/*") if path.is_file()]
    assert kept
    assert all(len(name) == 64 for name in kept), "files are named by their hash"


def test_decodes_quotes_in_file_names(editor: Client) -> None:
    editor.upload(("the %22final%22 draft.txt", b"x"))
    assert list_names(editor) == ['the "final" draft.txt']


def test_refuses_file_over_the_limit_and_stores_the_others(editor: Client, tmp_path: Path) -> None:
    response = editor.upload(("a.txt", b"a"), ("big.bin", b"x" * 2_000_001), ("z.txt", b"z"))
    assert response.status_code == 413
    outcomes = response.json()["documents"]
    assert [each["status"] for each in outcomes] == ["received", "refused", "received"]
    assert "larger than" in outcomes[1]["reason"]
    assert "big.bin" in response.json()["error"]
    assert sorted(list_names(editor)) == ["a.txt", "z.txt"]
    assert list_partial_files(tmp_path) == []


def test_form_shows_why_a_file_was_refused(editor: Client) -> None:
    body = multipart({"csrf": editor.csrf}, (("big.bin", b"x" * 2_000_001),))
    assert editor.http.post("/documents", content=body, headers=KIND).status_code == 303
    assert "big.bin was refused: The file is larger than" in editor.get("/").text


def test_many_notices_fit_into_the_cookie(editor: Client) -> None:
    body = multipart({"csrf": editor.csrf}, tuple((f"{n:03}-{'n' * 60}.txt", b"%d" % n) for n in range(60)))
    assert editor.http.post("/documents", content=body, headers=KIND).status_code == 303
    assert "more." in editor.get("/").text
    assert len(list_names(editor)) == 50


def test_aborted_upload_leaves_no_partial_file(editor: Client, tmp_path: Path, database: Database) -> None:
    whole = multipart(files=(("whole.txt", b"whole"), ("half.bin", b"h" * 600_000)))
    with open_upload(editor, whole, declared=len(whole)) as connection:
        connection.sendall(whole[:500_000])
        wait_until(lambda: list_names(editor) == ["whole.txt"])
        assert len(list_partial_files(tmp_path)) == 1
    wait_until(lambda: list_partial_files(tmp_path) == [])
    assert list_names(editor) == ["whole.txt"], "complete files are kept"
    with database.transaction() as conn:
        assert conn.execute("SELECT count(*) AS n FROM blobs").fetchone() == {"n": 1}


def test_stalled_upload_times_out(editor: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeouts, "UPLOAD", 1.0)
    whole = multipart(files=(("half.bin", b"h" * 600_000),))
    with open_upload(editor, whole, declared=len(whole)) as connection:
        connection.sendall(whole[:500_000])
        with HTTPResponse(connection) as answer:
            answer.begin()
            body = answer.read()
    assert answer.status == HTTPStatus.REQUEST_TIMEOUT
    assert b"The upload stopped: no data" in body
    wait_until(lambda: list_partial_files(tmp_path) == [])
    assert list_names(editor) == []


def test_refuses_truncated_body(editor: Client, tmp_path: Path) -> None:
    cut = multipart(files=(("half.bin", b"h" * 1000),))[:-40]
    response = editor.http.post("/api/v1/documents", content=cut, headers={"X-CSRF-Token": editor.csrf, **KIND})
    assert response.status_code == 400
    assert "ended before the end of the file" in response.json()["error"]
    assert list_names(editor) == []
    assert list_partial_files(tmp_path) == []


def test_refuses_malformed_uploads_with_a_message(editor: Client) -> None:
    token = {"X-CSRF-Token": editor.csrf}
    long = f"multipart/form-data; boundary={'b' * 300}"
    answers = [
        editor.http.post("/api/v1/documents", json={"a": 1}, headers=token),
        editor.http.post("/api/v1/documents", content=b"no multipart at all", headers={**token, **KIND}),
        editor.http.post("/api/v1/documents", content=b"x", headers={**token, "Content-Type": "multipart/form-data"}),
        editor.http.post("/api/v1/documents", content=b"x", headers={**token, "Content-Type": long}),
    ]
    assert [answer.status_code for answer in answers] == [400] * 4
    assert all(answer.json()["error"] for answer in answers)


def test_viewer_cannot_upload(viewer: Client, tmp_path: Path) -> None:
    response: httpx.Response = viewer.upload(("a.txt", b"a"))
    assert response.status_code == 403
    assert "editor" in response.json()["error"]
    assert list_partial_files(tmp_path) == []


def open_upload(editor: Client, body: bytes, declared: int) -> socket.socket:
    """Return a connection that has sent the headers of an upload."""
    address = urlsplit(editor.site)
    cookies = "; ".join(f"{name}={value}" for name, value in editor.http.cookies.items())
    connection = socket.create_connection((str(address.hostname), int(address.port or 80)), timeout=10)
    connection.sendall(
        (
            f"POST /api/v1/documents HTTP/1.1\r\nHost: {address.netloc}\r\nCookie: {cookies}\r\n"
            f"X-CSRF-Token: {editor.csrf}\r\nContent-Type: {KIND['Content-Type']}\r\n"
            f"Content-Length: {declared}\r\n\r\n"
        ).encode()
    )
    return connection
