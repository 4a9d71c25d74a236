"""Sign-in with one-time links."""

from __future__ import annotations

from uuid import UUID

import httpx
import pytest

from docyard.db import Database
from docyard.store.users import create_link, get_or_create_user, set_role
from docyard.web.context import Web
from docyard.web.identity import cookie_name
from tests.web.conftest import Users
from tests.web.site import Client


@pytest.fixture
def link(database: Database, workspace: UUID) -> str:
    with database.transaction() as conn:
        user = get_or_create_user(conn, "new@example.org")
        set_role(conn, workspace, user, "editor")
        return create_link(conn, user)


def test_opening_the_link_does_not_use_it_up(town: Users, link: str) -> None:
    visitor = town.person("anonymous")
    for _ in range(2):
        assert "Sign in</button>" in visitor.get(f"/sign-in?token={link}").text
    assert visitor.post("/sign-in", token=link).headers["location"] == "/"
    assert visitor.get("/").status_code == 200


def test_link_works_once_and_then_explains_how_to_get_another(town: Users, link: str) -> None:
    first, second = town.person("anonymous"), town.person("anonymous")
    assert first.post("/sign-in", token=link).status_code == 303
    for response in (second.post("/sign-in", token=link), second.get(f"/sign-in?token={link}")):
        assert response.status_code == 401
        assert "docyard sign-in" in response.text
    assert second.get("/").status_code == 303


def test_used_link_redirects_its_signed_in_user_to_documents(town: Users, link: str) -> None:
    person = town.person("anonymous")
    person.post("/sign-in", token=link)
    again = person.get(f"/sign-in?token={link}")
    assert (again.status_code, again.headers["location"]) == (303, "/")


def test_refuses_expired_link(town: Users, link: str, database: Database) -> None:
    with database.transaction() as conn:
        conn.execute("UPDATE sign_in_links SET expires_at = now() - interval '1 second'")
    visitor = town.person("anonymous")
    assert visitor.get(f"/sign-in?token={link}").status_code == 401
    assert visitor.post("/sign-in", token=link).status_code == 401


def test_keeps_the_link_of_a_user_without_a_role(town: Users, database: Database, workspace: UUID) -> None:
    with database.transaction() as conn:
        user = get_or_create_user(conn, "newcomer@example.org")
        link = create_link(conn, user)
    visitor = town.person("anonymous")
    refused = visitor.post("/sign-in", token=link)
    assert refused.status_code == 403
    assert "You have no role in any workspace yet" in refused.text
    with database.transaction() as conn:
        set_role(conn, workspace, user, "viewer")
    assert visitor.post("/sign-in", token=link).headers["location"] == "/"


def test_cookie_is_http_only_and_same_site(town: Users, link: str) -> None:
    cookie = town.person("anonymous").post("/sign-in", token=link).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie


def test_cookie_has_host_prefix_with_https() -> None:
    web = Web(None, None, None, None, (), secure_cookies=True)  # type: ignore[arg-type]
    assert cookie_name(web) == "__Host-docyard_session"


def test_sign_in_page_sends_no_referrer_and_is_not_cached(town: Users, link: str) -> None:
    response = town.person("anonymous").get(f"/sign-in?token={link}")
    assert response.headers["referrer-policy"] == "no-referrer"
    assert response.headers["cache-control"] == "no-store"


def test_sign_in_ends_the_previous_session(town: Users, link: str, web: Web) -> None:
    editor = town.person("editor")
    before = dict(editor.http.cookies)
    assert editor.post("/sign-in", token=link).status_code == 303
    with httpx.Client(base_url=editor.site, cookies=before) as old:
        assert old.get("/").status_code == 303


def test_sign_out_ends_the_session_in_the_database(editor: Client) -> None:
    before = dict(editor.http.cookies)
    assert editor.post("/sign-out").headers["location"] == "/sign-in"
    with httpx.Client(base_url=editor.site, cookies=before) as old:
        assert old.get("/").status_code == 303
        assert old.get("/api/v1/documents").json() == {
            "error": "You are not signed in, or your session has ended. Ask for a new sign-in link."
        }


def test_refuses_expired_session(editor: Client, database: Database) -> None:
    with database.transaction() as conn:
        conn.execute("UPDATE sessions SET expires_at = now() - interval '1 second'")
    assert editor.get("/api/v1/documents").status_code == 401
