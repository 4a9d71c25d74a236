"""The Language models page; keys are never shown."""

from __future__ import annotations

import html
import re
from uuid import UUID

import pytest

from docyard.db import Database
from docyard.store.connections import record_test
from tests.builders.ai_server import KEY
from tests.web.conftest import Users
from tests.web.site import Client

OURS = {"name": "Ours <1>", "provider": "openai", "model": "small-1", "base_url": "http://127.0.0.1:1/v1", "key": KEY}


@pytest.fixture
def admin(town: Users) -> Client:
    """An admin of the main workspace."""
    return town.person("admin")


def get_connection_id(database: Database) -> UUID:
    with database.transaction() as conn:
        (row,) = conn.execute("SELECT id FROM connections").fetchall()
    return UUID(str(row["id"]))


def test_adds_selects_and_removes_connections_by_form(admin: Client, database: Database) -> None:
    page = admin.get("/connections").text
    assert "No language model is connected." in page
    assert '<a href="/connections">Language models</a>' in page
    answer = admin.post("/connections", **OURS)
    assert (answer.status_code, answer.headers["location"]) == (303, "/connections")
    made = get_connection_id(database)
    page = admin.get("/connections").text
    assert "Ours &lt;1&gt;" in page
    assert "Not tested yet." in page
    assert KEY not in page
    admin.post("/connections/classifying", connection=str(made))
    assert "Classifies documents</span>" in admin.get("/connections").text
    admin.post("/connections/classifying", connection="")
    assert "Classifies documents</span>" not in admin.get("/connections").text
    assert admin.post(f"/connections/{made}/remove").status_code == 303
    assert "No language model is connected." in admin.get("/connections").text
    assert admin.post(f"/connections/{made}/remove").status_code == 404


def test_refused_form_keeps_its_values_except_the_key(admin: Client) -> None:
    answer = admin.post("/connections", **{**OURS, "base_url": "file:///etc/passwd"})
    assert answer.status_code == 400
    assert "must start with http:// or https://" in answer.text
    assert 'value="small-1"' in answer.text
    assert KEY not in answer.text


def test_connection_test_is_queued_once_for_a_worker(admin: Client, database: Database) -> None:
    admin.post("/connections", **OURS)
    made = get_connection_id(database)
    for _ in range(2):
        assert admin.post(f"/connections/{made}/test").status_code == 303
    job = admin.call("POST", f"/api/v1/connections/{made}/test").json()["jobId"]
    with database.transaction() as conn:
        jobs = conn.execute("SELECT id::text, pool, type, tier FROM jobs").fetchall()
    assert jobs == [{"id": job, "pool": f"llm:{made}", "type": "try_connection", "tier": 0}]
    page = admin.get("/connections").text
    assert "Testing</span>" in page
    assert 'data-trying="yes"' in page
    with database.transaction() as conn:
        conn.execute("DELETE FROM jobs")
        record_test(conn, made, 1.5, "Ours refused <the key>.")
    page = html.unescape(admin.get("/connections").text)
    assert "Ours refused <the key>." in page
    assert "data-trying" not in page
    with database.transaction() as conn:
        record_test(conn, made, 1.5, None)
    page = admin.get("/connections").text
    assert re.search(r"Test passed</span> in 1\.5", page)
    (listed,) = admin.get("/api/v1/connections").json()["connections"]
    assert (listed["testSeconds"], listed["trouble"]) == (1.5, None)
    assert listed["testedAt"]


def test_hides_connections_of_other_workspaces(admin: Client, database: Database, other_workspace: UUID) -> None:
    admin.post("/connections", **OURS)
    made = get_connection_id(database)
    with database.transaction() as conn:
        conn.execute("UPDATE connections SET workspace_id = %s", (other_workspace,))
    for action in ("test", "remove"):
        assert admin.post(f"/connections/{made}/{action}").status_code == 404
    assert admin.post("/connections/nonsense/test").status_code == 404
    assert "Ours" not in admin.get("/connections").text
    with database.transaction() as conn:
        assert conn.execute("SELECT FROM jobs").fetchall() == []


def test_only_admins_see_the_page(editor: Client, viewer: Client) -> None:
    for person in (editor, viewer):
        assert person.get("/connections").status_code == 403
        assert '<a href="/connections">' not in person.get("/").text
