"""Entities and relations of a document: found once, unchanged by a rerun, and deleted with the document."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from docyard.db import Database
from docyard.pipeline.cancellation import delete_document
from docyard.pipeline.field_edits import make_user_value
from docyard.pipeline.reruns import process_again, redo_stages, retry_document
from docyard.pipeline.run import Pipeline
from docyard.stages import STAGES
from docyard.store.documents import get_document
from docyard.store.fields import add_field, correct_field, decide_field
from tests.worker.worker_runs import fetch_rows, run_until_idle, upload_text

TEXT = """Invoice 2026-17

Seller: Northgate Supplies GmbH
Date: 2026-03-02

Northgate Supplies GmbH, info@northgate.example, asks for payment. See 410 U.S. 113.

Total: 120.50
"""


def load_facts(pipeline: Pipeline) -> list[list[dict[str, Any]]]:
    """Return fields, mentions, entities and relations, with their ids."""
    return [
        fetch_rows(pipeline, "SELECT * FROM field_values ORDER BY name, ordinal"),
        fetch_rows(pipeline, "SELECT id, kind, text, page, start_offset, entity_id FROM mentions ORDER BY id"),
        fetch_rows(pipeline, "SELECT id, kind, key, name FROM entities ORDER BY id"),
        fetch_rows(pipeline, "SELECT * FROM relations ORDER BY id"),
    ]


def test_saves_entities_and_relations_once(pipeline: Pipeline, workspace: UUID) -> None:
    document = upload_text(pipeline, workspace, TEXT)
    run_until_idle(pipeline)
    done = fetch_rows(pipeline, "SELECT stage, outcome FROM stage_results ORDER BY finished_at")
    assert [(row["stage"], row["outcome"]) for row in done] == [
        (stage.name, "done") for stage in STAGES if not stage.per_page and not stage.runs_in_worker
    ]
    fields, mentions, entities, relations = load_facts(pipeline)
    assert {row["name"] for row in fields} >= {"seller", "total", "date"}
    (total,) = [row for row in fields if row["name"] == "total"]
    assert (str(total["number"]), TEXT[total["start_offset"] : total["end_offset"]]) == ("120.50", "120.50")
    keys = {(row["kind"], row["key"]) for row in entities}
    assert {("organisation", "northgate supplies"), ("email", "info@northgate.example")} <= keys
    for row in mentions:
        assert TEXT[row["start_offset"] : row["start_offset"] + len(row["text"])] == row["text"]
    types = {row["type"] for row in relations}
    assert {"issued", "cited_in", "mentioned_with"} <= types
    before = load_facts(pipeline)
    with pipeline.db.transaction() as conn:
        redo_stages(conn, get_document(conn, document), [stage.name for stage in STAGES[1:]])
        retry_document(conn, document)
    run_until_idle(pipeline)
    assert load_facts(pipeline) == before
    with pipeline.db.transaction() as conn:
        delete_document(conn, document)
    assert load_facts(pipeline) == [[], [], [], []]


def test_a_rerun_stage_loads_the_saved_inputs(pipeline: Pipeline, workspace: UUID) -> None:
    document = upload_text(pipeline, workspace, TEXT)
    run_until_idle(pipeline)
    before = load_facts(pipeline)
    assert all(before), "each kind of fact was found"
    for stage in ("canonicalise", "relate"):
        with pipeline.db.transaction() as conn:
            redo_stages(conn, get_document(conn, document), [stage])
            retry_document(conn, document)
        run_until_idle(pipeline)
        assert load_facts(pipeline) == before, stage


def test_the_web_role_can_delete_a_document_with_its_facts(
    pipeline: Pipeline, workspace: UUID, web_database: Database
) -> None:
    document = upload_text(pipeline, workspace, TEXT)
    run_until_idle(pipeline)
    assert all(load_facts(pipeline))
    with web_database.transaction(workspace) as conn:
        delete_document(conn, document)
    assert load_facts(pipeline) == [[], [], [], []]


def test_processing_again_keeps_what_users_decided(pipeline: Pipeline, workspace: UUID) -> None:
    document = upload_text(pipeline, workspace, TEXT)
    run_until_idle(pipeline)
    fields = {row["name"]: row["id"] for row in fetch_rows(pipeline, "SELECT id, name FROM field_values")}
    with pipeline.db.transaction(workspace) as conn:
        decide_field(conn, fields["seller"], "confirmed", "ann@example.org")
        correct_field(conn, fields["total"], "125.00", "125.00", "ann@example.org")
        add_field(conn, get_document(conn, document), make_user_value("location", "Pier 7"), "ann@example.org")
        conn.execute("UPDATE documents SET tags = '{urgent}'")
    before = load_decisions(pipeline)
    assert {(row["name"], row["value"]) for row in before} >= {("total", "125.00"), ("location", "Pier 7")}
    with pipeline.db.transaction(workspace) as conn:
        assert process_again(conn, document) is not None
    run_until_idle(pipeline)
    assert load_decisions(pipeline) == before
    (found,) = fetch_rows(pipeline, "SELECT status, tags FROM documents")
    assert found == {"status": "completed", "tags": ["urgent"]}


def load_decisions(pipeline: Pipeline) -> list[dict[str, Any]]:
    """Return the fields that users confirmed, corrected or added."""
    return fetch_rows(pipeline, "SELECT * FROM field_values WHERE state <> 'unconfirmed' ORDER BY id")


def test_a_rejected_field_yields_no_relation_in_a_rerun(pipeline: Pipeline, workspace: UUID) -> None:
    document = upload_text(pipeline, workspace, TEXT)
    run_until_idle(pipeline)
    assert "issued" in {row["type"] for row in fetch_rows(pipeline, "SELECT type FROM relations")}
    (seller,) = fetch_rows(pipeline, "SELECT id FROM field_values WHERE name = 'seller'")
    with pipeline.db.transaction(workspace) as conn:
        decide_field(conn, seller["id"], "rejected", "ann@example.org")
    for stage in ("fields", "relate"):
        with pipeline.db.transaction() as conn:
            redo_stages(conn, get_document(conn, document), [stage])
            retry_document(conn, document)
        run_until_idle(pipeline)
        assert "issued" not in {row["type"] for row in fetch_rows(pipeline, "SELECT type FROM relations")}, stage
        (kept,) = fetch_rows(pipeline, "SELECT id, state FROM field_values WHERE name = 'seller'")
        assert kept == {"id": seller["id"], "state": "rejected"}
