"""Signing in by a link that works once."""

from __future__ import annotations

from uuid import UUID

import httpx
import pytest

from docyard.db import Database
from docyard.store.people import create_link, get_or_create_user, set_role
from docyard.web.context import Web
from docyard.web.identity import cookie_name
from tests.web.conftest import Town
from tests.web.visiting import Person


@pytest.fixture
def link(database: Database, workspace: UUID) -> str:
    with database.transaction() as conn:
        user = get_or_create_user(conn, "new@example.org")
        set_role(conn, workspace, user, "editor")
        return create_link(conn, user)


def test_looking_at_the_link_does_not_use_it_up(town: Town, link: str) -> None:
    nobody = town.person("anonymous")
    for _ in range(2):
        assert "Sign in</button>" in nobody.get(f"/sign-in?token={link}").text
    assert nobody.post("/sign-in", token=link).headers["location"] == "/"
    assert nobody.get("/").status_code == 200


def test_a_link_works_once_and_then_says_how_to_get_another(town: Town, link: str) -> None:
    first, second = town.person("anonymous"), town.person("anonymous")
    assert first.post("/sign-in", token=link).status_code == 303
    for response in (second.post("/sign-in", token=link), second.get(f"/sign-in?token={link}")):
        assert response.status_code == 401
        assert "docyard sign-in" in response.text
    assert second.get("/").status_code == 303


def test_a_used_link_leads_whoever_it_signed_in_to_their_documents(town: Town, link: str) -> None:
    person = town.person("anonymous")
    person.post("/sign-in", token=link)
    again = person.get(f"/sign-in?token={link}")
    assert (again.status_code, again.headers["location"]) == (303, "/")


def test_an_expired_link_is_refused(town: Town, link: str, database: Database) -> None:
    with database.transaction() as conn:
        conn.execute("UPDATE sign_in_links SET expires_at = now() - interval '1 second'")
    nobody = town.person("anonymous")
    assert nobody.get(f"/sign-in?token={link}").status_code == 401
    assert nobody.post("/sign-in", token=link).status_code == 401


def test_the_cookie_is_out_of_reach(town: Town, link: str) -> None:
    cookie = town.person("anonymous").post("/sign-in", token=link).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie


def test_behind_https_the_cookie_is_bound_to_the_host() -> None:
    web = Web(None, None, None, None, (), secure_cookies=True)  # type: ignore[arg-type]
    assert cookie_name(web) == "__Host-docyard_session"


def test_the_token_never_leaves_as_a_referrer(town: Town, link: str) -> None:
    response = town.person("anonymous").get(f"/sign-in?token={link}")
    assert response.headers["referrer-policy"] == "no-referrer"
    assert response.headers["cache-control"] == "no-store"


def test_signing_in_ends_the_session_before(town: Town, link: str, web: Web) -> None:
    editor = town.person("editor")
    before = dict(editor.http.cookies)
    assert editor.post("/sign-in", token=link).status_code == 303
    with httpx.Client(base_url=editor.site, cookies=before) as old:
        assert old.get("/").status_code == 303


def test_signing_out_ends_the_session_in_the_database(editor: Person) -> None:
    before = dict(editor.http.cookies)
    assert editor.post("/sign-out").headers["location"] == "/sign-in"
    with httpx.Client(base_url=editor.site, cookies=before) as old:
        assert old.get("/").status_code == 303
        assert old.get("/api/v1/documents").json() == {
            "error": "You are not signed in, or your session has ended. Ask for a new sign-in link."
        }


def test_a_session_that_ran_out_is_none(editor: Person, database: Database) -> None:
    with database.transaction() as conn:
        conn.execute("UPDATE sessions SET expires_at = now() - interval '1 second'")
    assert editor.get("/api/v1/documents").status_code == 401
