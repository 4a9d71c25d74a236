"""Document types of a workspace on their page and in the API."""

from __future__ import annotations

import html
from typing import Any
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from docyard.db import Database
from docyard.model.document_types import DOCUMENT_TYPES
from docyard.stages import STAGES
from docyard.store.document_types import load_types
from tests.web.conftest import Users
from tests.web.site import Client, Library

API = "/api/v1/types"
LAB = {
    "name": "Lab report",
    "description": "Results of laboratory tests of samples.",
    "phrases": "reference range\nsample taken\n",
}


@pytest.fixture
def admin(town: Users) -> Client:
    """An admin of the main workspace."""
    return town.person("admin")


def list_types(person: Client) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in person.get(API).json()["types"]}


def test_api_switches_and_adds_types(admin: Client, viewer: Client, outsider: Client) -> None:
    assert list(list_types(viewer)) == list(DOCUMENT_TYPES)
    assert admin.post(API, **LAB).json() == {"name": "lab_report"}
    assert admin.call("POST", f"{API}/letter/off").json() == {"success": True}
    assert admin.call("POST", f"{API}/letter/off").json() == {"success": True}
    seen = list_types(viewer)
    assert seen["lab_report"] == {
        "name": "lab_report",
        "description": "Results of laboratory tests of samples.",
        "phrases": ["reference range", "sample taken"],
        "own": True,
        "on": True,
    }
    assert (seen["letter"]["on"], seen["letter"]["own"]) == (False, False)
    assert list(list_types(outsider)) == list(DOCUMENT_TYPES), "each workspace has its own list"
    assert admin.post(API, **{**LAB, "description": "Described anew, at some length."}).status_code == 201
    assert list_types(viewer)["lab_report"]["description"] == "Described anew, at some length."
    admin.call("POST", f"{API}/letter/on")
    assert admin.call("DELETE", f"{API}/lab_report").status_code == 204
    assert admin.call("DELETE", f"{API}/lab_report").status_code == 404
    assert all(each["on"] and not each["own"] for each in list_types(viewer).values())


@pytest.mark.parametrize(
    ("path", "fields", "code", "words"),
    [
        (API, {"name": "contract", "description": LAB["description"]}, 400, "switched on or off"),
        (API, {"name": "lab", "description": "x"}, 400, "10 to 500"),
        (API, {}, 400, "name of a type"),
        (f"{API}/spoon/off", {}, 404, "no type"),
        (f"{API}/letter/sideways", {}, 400, ""),
        (f"{API}/letter/on", {}, 200, ""),
    ],
)
def test_refuses_invalid_types_with_a_message(
    admin: Client, path: str, fields: dict[str, str], code: int, words: str
) -> None:
    answer = admin.post(path, **fields)
    assert (answer.status_code, words in answer.text) == (code, True), answer.text


def test_last_type_cannot_be_switched_off(admin: Client, database: Database, workspace: UUID) -> None:
    for name in DOCUMENT_TYPES[1:]:
        assert admin.call("POST", f"{API}/{name}/off").status_code == 200
    assert "At least one type must stay" in admin.call("POST", f"{API}/{DOCUMENT_TYPES[0]}/off").text
    with database.transaction() as conn:
        assert load_types(conn, workspace).names == DOCUMENT_TYPES[:1]


def test_page_adds_switches_and_removes_types(admin: Client, editor: Client) -> None:
    page = admin.get("/types").text
    assert '<a href="/types">Document types</a>' in page
    assert '<a href="/types">' not in editor.get("/").text, "only admins see the link"
    assert "keep their type until you classify them again" in page
    assert 'action="/types/letter/off"' in page
    answer = admin.post("/types", **LAB)
    assert (answer.status_code, answer.headers["location"]) == (303, "/types")
    page = html.unescape(admin.get("/types").text)
    assert "Type lab_report saved." in page
    assert "“reference range”, “sample taken”" in page
    admin.post("/types/lab_report/off")
    assert 'action="/types/lab_report/on"' in admin.get("/types").text
    admin.post("/types/lab_report/on")
    admin.post("/types/lab_report/remove")
    assert "Lab report" not in admin.get("/types").text.replace("Type lab_report removed", "")


def test_refused_form_keeps_its_values(admin: Client) -> None:
    answer = admin.post("/types", name="Lab <b>", description="short", phrases="a phrase")
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert 'value="Lab &lt;b&gt;"' in answer.text
    assert ">a phrase</textarea>" in answer.text


def test_reclassifies_documents_only_on_request(
    admin: Client, shelf: Library, database: Database, workspace: UUID
) -> None:
    letter, contract = (
        shelf.add_processed(workspace, f"{kind}.txt", f"Dear {kind}", kind) for kind in ("letter", "contract")
    )
    with database.transaction() as conn:
        for document, kind in ((letter, "letter"), (contract, "contract")):
            conn.execute("UPDATE documents SET type = %s WHERE id = %s", (kind, document))
            for stage in STAGES:
                conn.execute(
                    "INSERT INTO stage_results (document_id, workspace_id, stage, version, outcome, facts,"
                    " job_id, fence, worker_id, seconds)"
                    " VALUES (%s, %s, %s, %s, 'done', %s, gen_random_uuid(), 1, gen_random_uuid(), 1)",
                    (document, workspace, stage.name, stage.version, Jsonb({})),
                )
    admin.post("/types/letter/off")
    with database.transaction() as conn:
        assert conn.execute("SELECT FROM jobs").fetchall() == [], "a change alone reprocesses nothing"
    assert "1 document has an uncertain type, or a type that was removed or switched off." in admin.get("/types").text
    assert admin.post("/types/again").status_code == 303
    assert "1 document queued for classification." in admin.get("/types").text
    assert admin.call("POST", f"{API}/again").json() == {"queued": 0}, "a second request finds it already queued"
    with database.transaction() as conn:
        jobs = conn.execute("SELECT document_id, stage FROM jobs").fetchall()
    assert jobs == [{"document_id": letter, "stage": "classify"}]
