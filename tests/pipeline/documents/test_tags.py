"""Tags: found tags are stored separately from users' tags, which attachments inherit; all are embedded."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

from docyard.intake import Arrival, receive
from docyard.pipeline.run import Pipeline
from docyard.search import embed_query, find_tags
from docyard.store import tags as store
from docyard.worker import run_worker, upkeep
from docyard.worker.options import WorkerOptions
from docyard.worker.stop_request import StopRequest
from tests.builders.emails import make_email
from tests.builders.models import make_model
from tests.pipeline.documents.other_model import run_embeddings_duty, use_model
from tests.worker.worker_runs import fetch_row, fetch_rows, run_until_idle

MOTORS = (
    "Harbour crane maintenance. The harbour crane was greased. The harbour crane motor was replaced, and the "
    "harbour crane is in service again."
)
COUNT_UNEMBEDDED = (
    "SELECT count(*) AS n FROM tags t WHERE NOT EXISTS (SELECT FROM tag_embeddings e WHERE e.tag_id = t.id)"
)


def put(pipeline: Pipeline, workspace: UUID, data: bytes, *tags: str) -> UUID:
    arrival = Arrival(workspace_id=workspace, name="a file", source="upload", tags=tags)
    return receive(pipeline.db, pipeline.blobs, pipeline.limits, arrival, [data]).document_id


def test_attachments_inherit_user_tags_but_not_found_tags(pipeline: Pipeline, workspace: UUID) -> None:
    made = make_email(MOTORS, attachments=[("plan.txt", b"Seventeen bananas.")], subject="Harbour crane")
    parent = put(pipeline, workspace, made.as_bytes(), "case 12")
    run_until_idle(pipeline)
    (whole,) = fetch_rows(pipeline, "SELECT tags, found_tags FROM documents WHERE id = %s", parent)
    assert whole["tags"] == ["case 12"]
    assert "harbour" in [tag.lower() for tag in whole["found_tags"]]
    (child,) = fetch_rows(pipeline, "SELECT tags, found_tags FROM documents WHERE parent_id = %s", parent)
    assert child["tags"] == ["case 12"]
    assert not set(child["found_tags"]) & set(whole["found_tags"])


def test_finds_a_tag_by_semantic_search(pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "list_workspaces_to_embed", lambda *_: [])  # keeps upkeep from queueing tags
    put(pipeline, workspace, b"The first of two notes.", "vehicle", "late fee", "dental care")
    run_until_idle(pipeline)
    assert fetch_row(pipeline, COUNT_UNEMBEDDED) == {"n": 0}, "the document's job embeds its tags"
    meaning = embed_query(pipeline.children, "car", patience=120)
    assert meaning
    with pipeline.db.transaction(workspace) as conn:
        result = find_tags(conn, "car", meaning=meaning)
    assert (result.by, result.tags[0].name) == ("meaning", "vehicle")
    assert (result.tags[0].closeness or 0) > 0.6


def test_the_duty_embeds_tags_added_later_and_for_a_new_model(
    pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(upkeep, "DUTIES", ())
    with pipeline.db.transaction() as conn:
        conn.execute(
            "INSERT INTO documents (workspace_id, name, status, completed_at, tags)"
            " SELECT %s, n::text, 'completed', now(), ARRAY['tag ' || n] FROM generate_series(1, 40) n",
            (workspace,),
        )
    assert run_embeddings_duty(pipeline, workspace) == "Workspaces whose tags were queued for embedding: 1"
    assert run_embeddings_duty(pipeline, workspace) is None, "tags are queued once"
    run_worker(pipeline, WorkerOptions(slots=1, single_run=True), StopRequest())
    assert fetch_row(pipeline, COUNT_UNEMBEDDED) == {"n": 0}
    assert run_embeddings_duty(pipeline, workspace) is None
    with use_model(make_model(tmp_path / "newer")):
        assert run_embeddings_duty(pipeline, workspace) == "Workspaces whose tags were queued for embedding: 1"
        run_worker(pipeline, WorkerOptions(slots=1, single_run=True), StopRequest())
    assert fetch_row(pipeline, "SELECT count(*) AS n, count(DISTINCT model) AS models FROM tag_embeddings") == {
        "n": 40,
        "models": 1,
    }
