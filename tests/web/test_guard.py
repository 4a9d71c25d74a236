"""Checks of hosts, origins and tokens; security headers; error pages."""

from __future__ import annotations

from uuid import UUID

import httpx
import pytest

from docyard.errors import Unavailable
from docyard.web.pages import documents as documents_page
from docyard.web.security import host_name, is_cross_site
from tests.web.site import BOUNDARY, Client, Library, hidden_fields, multipart

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)


def test_answers_only_allowed_host_names(editor: Client) -> None:
    for host in ("evil.example", "evil.example:8400", "127.0.0.1.evil.example", "[::1"):
        response = editor.get("/", Host=host)
        assert response.status_code == 421, host
        assert "Documents" not in response.text
    for host in ("localhost", "LOCALHOST:99", "127.0.0.1:8400"):
        assert editor.get("/", Host=host).status_code == 200, host
    # Load balancers send probes to an IP address, so probes accept any host name.
    assert editor.get("/healthz", Host="10.0.0.7").status_code == 200


@pytest.mark.parametrize(("host", "name"), [("A.b:80", "a.b"), ("[::1]:80", "::1"), ("[::1", ""), ("a:b:c", "a")])
def test_parses_host_headers(host: str, name: str) -> None:
    assert host_name(host) == name


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, False),
        ({"sec-fetch-site": "same-origin", "origin": "null"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"sec-fetch-site": "same-site"}, True),
        ({"sec-fetch-site": "cross-site", "origin": "http://a", "host": "a"}, True),
        ({"origin": "null", "host": "a"}, False),
        ({"origin": "http://a:80", "host": "a:80"}, False),
        ({"origin": "http://a:80", "host": "a"}, True),
        ({"origin": "http://b", "host": "a"}, True),
        ({"origin": "http://[", "host": "a"}, True),
    ],
)
def test_recognises_cross_site_requests(headers: dict[str, str], expected: bool) -> None:
    assert is_cross_site(headers) is expected


def test_refuses_cross_site_write_even_with_token(editor: Client, shelf: Library, workspace: UUID) -> None:
    document = shelf.add_processed(workspace, "a.txt", "text")
    path = f"/api/v1/documents/{document}"
    assert editor.call("DELETE", path, **{"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert editor.call("DELETE", path, Origin="https://evil.example").status_code == 403
    assert editor.get(path).status_code == 200


def test_refuses_writes_without_token(editor: Client, shelf: Library, workspace: UUID) -> None:
    document = shelf.add_processed(workspace, "a.txt", "text")
    for token in ("", "wrong", "é" * 43):
        answers = send_writes(editor, document, workspace, token)
        assert [answer.status_code for answer in answers] == [403] * len(answers)
    assert len(editor.get("/api/v1/documents").json()["documents"]) == 1


def send_writes(editor: Client, document: UUID, workspace: UUID, token: str) -> list[httpx.Response]:
    kind = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    upload = multipart({"csrf": token}, (("b.txt", b"b"),))
    return [
        editor.http.post(f"/documents/{document}/delete", data={"csrf": token}),
        editor.http.post(f"/documents/{document}/retry", data={"csrf": token}),
        editor.http.post(f"/documents/{document}/cancel", data={"csrf": token}),
        editor.http.post(f"/api/v1/documents/{document}/cancel", headers=[(b"X-CSRF-Token", token.encode())]),
        editor.http.post("/sign-out", data={"csrf": token}),
        editor.http.post("/workspace", data={"csrf": token, "to": str(workspace)}),
        editor.http.post("/documents", content=upload, headers=kind),
        editor.http.post("/api/v1/documents", content=upload, headers=kind),
        editor.http.delete(f"/api/v1/documents/{document}", headers=[(b"X-CSRF-Token", token.encode())]),
    ]


def test_refuses_upload_with_token_after_the_file(editor: Client) -> None:
    body = multipart(files=(("b.txt", b"b"),)).removesuffix(f"--{BOUNDARY}--\r\n".encode())
    body += multipart({"csrf": editor.csrf})
    kind = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    assert editor.http.post("/documents", content=body, headers=kind).status_code == 403


def test_pages_contain_the_token_for_their_forms(editor: Client) -> None:
    fields = hidden_fields(editor.get("/").text)
    assert fields["csrf"] == editor.csrf
    assert fields["workspace"] == str(editor.workspace_id)


def test_every_response_has_security_headers(editor: Client, shelf: Library, workspace: UUID) -> None:
    document = shelf.add_processed(workspace, "a.txt", "text")
    paths = [
        "/",
        "/sign-in",
        "/workspaces",
        f"/documents/{document}",
        f"/documents/{document}/delete",
        "/search?q=text",
        "/nowhere",
        "/api/v1/documents",
        "/static/x/page.js",
        "/healthz",
        "/documents/counts",
    ]
    for path in paths:
        headers = editor.get(path).headers
        assert headers["content-security-policy"] == POLICY, path
        assert headers["x-content-type-options"] == "nosniff", path
        assert headers["referrer-policy"] == "no-referrer", path
        assert headers["cross-origin-opener-policy"] == "same-origin", path
        assert path.startswith("/static") or headers["cache-control"] == "no-store", path


def test_pages_have_no_inline_script_or_style(editor: Client, shelf: Library, workspace: UUID) -> None:
    document = shelf.add_processed(workspace, "a.txt", "text")
    for path in ("/", f"/documents/{document}?q=text", "/search?q=text", "/workspaces", "/sign-in?token=x"):
        page = editor.get(path).text
        assert "<style" not in page
        assert " style=" not in page
        assert " onclick=" not in page
        assert page.count("<script") == page.count('<script type="module" src="/static/')


def test_unexpected_error_hides_internal_details(editor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise RuntimeError("the password is swordfish")

    monkeypatch.setattr(documents_page, "count_documents", crash)
    response = editor.get("/")
    assert response.status_code == 500
    assert "swordfish" not in response.text
    assert response.headers["content-security-policy"] == POLICY


def test_database_outage_answers_503_without_details(editor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> None:
        raise Unavailable("connection to 10.1.2.3 failed")

    monkeypatch.setattr(documents_page, "count_documents", lost)
    response = editor.get("/")
    assert response.status_code == 503
    assert response.headers["retry-after"]
    assert "10.1.2.3" not in response.text


def test_static_files_are_cached_by_version(editor: Client) -> None:
    page = editor.get("/sign-in").text
    address = page.split('<script type="module" src="')[1].split('"')[0]
    assert "immutable" in editor.get(address).headers["cache-control"]
    assert editor.get("/static/older/page.js").headers["cache-control"] == "no-cache"
    assert editor.get("/static/x/../../app.py").status_code == 404
    assert editor.get("/static/x/%2e%2e/app.py").status_code == 404


def test_refuses_large_forms(editor: Client) -> None:
    response: httpx.Response = editor.post("/sign-out", more="x" * 20_000)
    assert response.status_code == 413
