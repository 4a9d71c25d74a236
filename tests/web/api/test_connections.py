"""LLM connections in the API; keys are never returned."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import psycopg
import pytest
from psycopg.types.json import Jsonb

from docyard.db import Database
from docyard.pipeline.stage_order import ENTRY_STAGE
from docyard.stages import STAGES
from docyard.store.connections import load_connection
from docyard.store.documents import mark_completed
from docyard.web.context import Web
from tests.builders.ai_server import KEY
from tests.builders.llm_connections import CIPHER
from tests.web.conftest import Users
from tests.web.site import Client, Library, open_client, run_site, sign_in

PATH = "/api/v1/connections"
OURS = {"name": "Ours", "provider": "openai", "model": "small-1", "base_url": "http://127.0.0.1:1/v1", "key": KEY}


@pytest.fixture
def admin(town: Users) -> Client:
    """An admin of the main workspace."""
    return town.person("admin")


def add(admin: Client, **changes: str) -> UUID:
    answer = admin.post(PATH, **{**OURS, **changes})
    assert answer.status_code == 201, answer.text
    return UUID(answer.json()["id"])


def test_adds_selects_and_removes_connections(admin: Client, viewer: Client, outsider: Client) -> None:
    made = add(admin)
    other = add(admin, name="Second", provider="ollama", key="", base_url="")
    (first, second) = viewer.get(PATH).json()["connections"]
    assert (first["id"], first["name"], first["model"], first["classifies"]) == (str(made), "Ours", "small-1", False)
    assert (second["id"], second["baseUrl"]) == (str(other), None)
    for chosen in (made, other):
        assert admin.post(f"{PATH}/classifying", connection=str(chosen)).json() == {"success": True}
        listed = viewer.get(PATH).json()["connections"]
        assert [each["id"] for each in listed if each["classifies"]] == [str(chosen)]
    admin.post(f"{PATH}/classifying")
    assert not any(each["classifies"] for each in viewer.get(PATH).json()["connections"])
    assert outsider.get(PATH).json() == {"connections": []}
    assert admin.call("DELETE", f"{PATH}/{made}").status_code == 204
    assert admin.call("DELETE", f"{PATH}/{made}").status_code == 404
    assert [each["name"] for each in viewer.get(PATH).json()["connections"]] == ["Second"]


@pytest.mark.parametrize("replacement", ["Second", None])
def test_waiting_jobs_leave_the_pool_of_a_replaced_model(
    admin: Client, database: Database, shelf: Library, workspace: UUID, replacement: str | None
) -> None:
    """Jobs in the pool of an unavailable model would never be claimed."""
    made = add(admin)
    chosen = str(add(admin, name=replacement)) if replacement else ""
    admin.post(f"{PATH}/classifying", connection=str(made))
    running, waiting = (shelf.add_document(workspace, name, name.encode()) for name in ("running", "waiting"))
    assert admin.post(f"{PATH}/{made}/test").status_code == 200
    with database.transaction() as conn:
        conn.execute("UPDATE jobs SET pool = %s WHERE type = 'document'", (f"llm:{made}",))
        conn.execute(
            "UPDATE jobs SET state = 'running', worker_id = gen_random_uuid(), attempts = 1,"
            " deadline_at = now() + interval '1 hour' WHERE document_id = %s",
            (running,),
        )
    assert admin.post(f"{PATH}/classifying", connection=str(made)).status_code == 200
    assert fetch_pools(database) == {running: f"llm:{made}", waiting: f"llm:{made}", None: f"llm:{made}"}
    assert admin.post(f"{PATH}/classifying", connection=chosen).status_code == 200
    assert fetch_pools(database) == {running: f"llm:{made}", waiting: ENTRY_STAGE.name, None: f"llm:{made}"}


def fetch_pools(database: Database) -> dict[UUID | None, str]:
    """Return the pool of each document's job and, with the key None, that of the connection test."""
    with database.transaction() as conn:
        return {row["document_id"]: row["pool"] for row in conn.execute("SELECT document_id, pool FROM jobs")}


def test_retry_classification_queues_the_model_stage(
    admin: Client, editor: Client, database: Database, shelf: Library, workspace: UUID
) -> None:
    made = add(admin)
    admin.post(f"{PATH}/classifying", connection=str(made))
    document = shelf.add_processed(workspace, "letter.txt", "Dear harbour master")
    with database.transaction() as conn:
        for stage in STAGES:
            degraded = stage.name == "classify_ai"
            conn.execute(
                "INSERT INTO stage_results (document_id, workspace_id, stage, version, outcome, facts,"
                " job_id, fence, worker_id, seconds)"
                " VALUES (%s, %s, %s, %s, %s, %s, gen_random_uuid(), 1, gen_random_uuid(), 1)",
                (
                    document,
                    workspace,
                    stage.name,
                    stage.version,
                    "degraded" if degraded else "done",
                    Jsonb({"category": "network", "message": "Ours is away."} if degraded else {}),
                ),
            )
        mark_completed(conn, document, 1.0, category="network", reason="Ours is away.")
    page = editor.get(f"/documents/{document}").text
    assert "Unclassified" in page
    assert "Retry classification" in page
    assert "Ours is away." in page
    job = editor.call("POST", f"/api/v1/documents/{document}/retry").json()["jobId"]
    assert editor.call("POST", f"/api/v1/documents/{document}/retry").json()["jobId"] == job
    with database.transaction() as conn:
        found = conn.execute("SELECT id::text, pool, stage FROM jobs").fetchall()
    assert found == [{"id": job, "pool": f"llm:{made}", "stage": "classify_ai"}]


def test_key_is_encrypted_and_never_returned(
    admin: Client, database: Database, web_database: Database, workspace: UUID
) -> None:
    made = add(admin)
    assert KEY not in admin.get(PATH).text
    with database.transaction() as conn:
        row = conn.execute("SELECT sealed_key FROM connections").fetchone() or {}
        assert load_connection(conn, workspace, made, CIPHER).key == KEY
    assert KEY.encode() not in row["sealed_key"]
    with pytest.raises(psycopg.errors.InsufficientPrivilege), web_database.transaction(workspace) as conn:
        conn.execute("SELECT sealed_key FROM connections")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"provider": "oracle"}, "must be one of"),
        ({"name": ""}, "name of a connection"),
        ({"model": "x" * 201}, "model of a connection"),
        ({"base_url": "file:///etc/passwd"}, "http:// or https://"),
        ({"base_url": "http://user:pass@host/"}, "must not contain a user name, a password"),
        ({"base_url": "http://169.254.169.254/latest/meta-data"}, "link-local"),
        ({"base_url": "http://[fe80::1]/v1"}, "link-local"),
        ({"base_url": "http://[::ffff:169.254.169.254]/"}, "link-local"),
        ({"key": "two words"}, "without spaces"),
    ],
)
def test_refuses_invalid_connections_with_a_message(admin: Client, changes: dict[str, str], words: str) -> None:
    answer = admin.post(PATH, **{**OURS, **changes})
    assert (answer.status_code, words in answer.text) == (400, True), answer.text
    assert KEY not in answer.text


def test_names_the_setting_that_is_missing(web: Web, database: Database, workspace: UUID) -> None:
    unset = replace(web, seal=None)
    session = sign_in(database, "admin@example.org", workspace, "admin")
    with run_site(unset) as address, (admin := open_client(unset, address, session)).http:
        for path in (PATH, "/connections"):
            answer = admin.post(path, **OURS)
            assert answer.status_code == 503
            assert "no secret for encrypting API keys. Set DOCYARD_SECRET_KEY." in answer.text


def test_refuses_duplicate_name(admin: Client) -> None:
    add(admin)
    assert admin.post(PATH, **OURS).status_code == 400


def test_refuses_connections_of_other_workspaces(
    admin: Client, town: Users, database: Database, other_workspace: UUID
) -> None:
    made = add(admin)
    with database.transaction() as conn:
        conn.execute("UPDATE connections SET workspace_id = %s", (other_workspace,))
    assert admin.post(f"{PATH}/classifying", connection=str(made)).status_code == 404
    assert admin.call("DELETE", f"{PATH}/{made}").status_code == 404
    with database.transaction() as conn:
        assert conn.execute("SELECT classifies FROM connections").fetchall() == [{"classifies": False}]
