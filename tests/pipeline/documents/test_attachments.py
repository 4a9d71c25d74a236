"""Attachments: each becomes a document once, within limits, linked to its parent."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection
from docyard.intake import Arrival, receive
from docyard.model.limits import Limits
from docyard.model.stage_values import Attachment
from docyard.model.tiers import Tier
from docyard.pipeline.attachments import queue_attachments
from docyard.pipeline.cancellation import delete_document
from docyard.pipeline.children import ChildPool
from docyard.pipeline.reruns import retry_document
from docyard.pipeline.run import Pipeline
from docyard.pipeline.unlocked_copies import unlock_document
from docyard.store import attachments, documents
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.attachment_jobs import receive_child
from docyard.worker.settlements import JobResult
from docyard.worker.stop_request import StopRequest
from tests.builders.container_files import make_pdf_with_bomb, make_pdf_with_files
from tests.builders.emails import make_email
from tests.builders.office.packages import make_zip
from tests.queue.queue_workers import register_worker_committed
from tests.worker.worker_runs import fetch_rows, run_until_idle


def put(pipeline: Pipeline, workspace: UUID, data: bytes, name: str = "a file") -> UUID:
    """Upload a document."""
    arrival = Arrival(
        workspace, name, "upload", tier=Tier.BACKGROUND, priority=7, tags=("case 12",), folder_name="Claims"
    )
    return receive(pipeline.db, pipeline.blobs, pipeline.limits, arrival, [data]).document_id


def list_names(pipeline: Pipeline) -> list[str]:
    return [row["name"] for row in fetch_rows(pipeline, "SELECT name FROM documents ORDER BY depth, name")]


def list_attachments(pipeline: Pipeline, document: UUID) -> list[tuple[str, str | None]]:
    """Return the name of each attachment, and the status of its document or the reason for its refusal."""
    with pipeline.db.transaction() as conn:
        return [(each.name, each.status or each.reason) for each in attachments.list_attachments(conn, document)]


def test_extracts_attachments_of_a_message_recursively(pipeline: Pipeline, workspace: UUID) -> None:
    archive = make_zip({"deep/../note.txt": "in the archive", "empty.txt": ""})
    made = make_email("see below", attachments=[("plan.txt", b"the plan"), ("all.zip", archive)], subject="Plans")
    parent = put(pipeline, workspace, made.as_bytes(), "plans.eml")
    run_until_idle(pipeline)
    assert list_names(pipeline) == ["plans.eml", "all.zip", "plan.txt", "note.txt"]
    assert list_attachments(pipeline, parent) == [("plan.txt", "completed"), ("all.zip", "completed")]
    children = fetch_rows(pipeline, "SELECT * FROM documents WHERE parent_id = %s", parent)
    for child in children:
        assert (child["source"], child["tier"], child["priority"]) == ("child", Tier.BACKGROUND, 7)
        assert child["folder_id"] is not None
        assert child["folder_id"] == fetch_rows(pipeline, "SELECT id FROM folders")[0]["id"]
        assert (child["tags"], child["depth"], child["workspace_id"]) == (["case 12"], 1, workspace)
    (note,) = fetch_rows(pipeline, "SELECT * FROM documents WHERE name = 'note.txt'")
    with pipeline.db.transaction() as conn:
        assert [each.name for each in attachments.list_containing_documents(conn, note["id"])] == ["all"]
    assert note["depth"] == 2
    assert fetch_rows(pipeline, "SELECT text FROM pages WHERE document_id = %s", note["id"]) == [
        {"text": "in the archive"}
    ]


def test_links_an_attachment_to_an_existing_document(pipeline: Pipeline, workspace: UUID) -> None:
    known = put(pipeline, workspace, b"the plan", "my plan.txt")
    first = put(pipeline, workspace, make_zip({"plan.txt": "the plan"}), "one.zip")
    second = put(pipeline, workspace, make_zip({"copy.txt": "the plan", "x.txt": "x"}), "two.zip")
    run_until_idle(pipeline)
    assert list_names(pipeline) == ["my plan.txt", "one.zip", "two.zip", "x.txt"]
    assert list_attachments(pipeline, first) == [("plan.txt", "completed")]
    with pipeline.db.transaction() as conn:
        assert {each.id for each in attachments.list_containing_documents(conn, known)} == {first, second}


def test_extracts_equal_archives_once(pipeline: Pipeline, workspace: UUID) -> None:
    data = make_zip({"a.txt": "a"})
    put(pipeline, workspace, make_zip({"inner.zip": data, "again.zip": data}), "outer.zip")
    put(pipeline, workspace, data, "inner itself.zip")
    run_until_idle(pipeline)
    assert list_names(pipeline) == ["inner itself.zip", "outer.zip", "a.txt"]


def test_a_retry_creates_no_second_document(pipeline: Pipeline, workspace: UUID) -> None:
    parent = put(pipeline, workspace, make_zip({"a.txt": "a"}), "one.zip")
    run_worker(pipeline, WorkerOptions(slots=1, single_run=True, stages=("fetch",)), StopRequest())
    worker = register_worker_committed(pipeline.db)
    with pipeline.db.transaction() as conn:
        (lease,) = queue.claim(conn, "receive_child", worker, 1)
    first = receive_child(pipeline, lease, lambda: False)
    assert isinstance(first, JobResult), "received, but the worker died before it settled the job"
    assert list_attachments(pipeline, parent) == [("a.txt", None)]
    second = receive_child(pipeline, lease, lambda: False)
    with pipeline.db.transaction() as conn:
        assert second.effect
        second.effect(conn)
    assert list_attachments(pipeline, parent) == [("a.txt", "pending")]
    assert list_names(pipeline) == ["one.zip", "a.txt"]
    third = receive_child(pipeline, lease, lambda: False)
    assert third == JobResult(), "an attachment with a document is skipped"


def test_refuses_a_damaged_member_and_receives_the_others(pipeline: Pipeline, workspace: UUID) -> None:
    data = bytearray(make_zip({"good.txt": "good", "bad.txt": "b" * 50}, zipfile.ZIP_STORED))
    data[data.index(b"b" * 50)] ^= 1
    parent = put(pipeline, workspace, bytes(data), "one.zip")
    run_until_idle(pipeline)
    assert list_attachments(pipeline, parent) == [
        ("good.txt", "completed"),
        ("bad.txt", "The file is damaged: its contents cannot be unpacked."),
    ]
    assert fetch_rows(pipeline, "SELECT status, reason FROM documents WHERE id = %s", parent) == [
        {"status": "completed", "reason": None}
    ]
    assert not fetch_rows(pipeline, "SELECT FROM dead_letters")


def nest_archives(levels: int) -> bytes:
    data = make_zip({"innermost.txt": "at last"})
    for level in range(levels):
        data = make_zip({f"level {level}.zip": data})
    return data


def test_limits_the_depth_of_nesting(pipeline: Pipeline, workspace: UUID) -> None:
    shallow = replace(pipeline, limits=replace(Limits(), attachment_depth=2))
    put(shallow, workspace, nest_archives(4), "outer.zip")
    run_until_idle(shallow)
    assert list_names(pipeline) == ["outer.zip", "level 3.zip", "level 2.zip"]
    (last,) = fetch_rows(pipeline, "SELECT notes FROM documents WHERE name = 'level 2.zip'")
    assert last["notes"] == ["This document is nested inside 2 other documents; its attachments were not extracted."]


@pytest.mark.parametrize("limits", [replace(Limits(), family_documents=5), replace(Limits(), family_bytes=2000)])
def test_limits_the_files_of_one_upload(pipeline: Pipeline, workspace: UUID, limits: Limits) -> None:
    limited = replace(pipeline, limits=limits)
    archives = {
        f"{name}.zip": make_zip({f"{name}{number}.txt": f"{name}{number}" * 100 for number in range(4)})
        for name in "ab"
    }
    put(limited, workspace, make_zip(archives), "outer.zip")
    run_until_idle(limited)
    extracted = fetch_rows(pipeline, "SELECT FROM attachments")
    assert 4 <= len(extracted) == len(list_names(pipeline)) - 1 < 10
    notes = [note for row in fetch_rows(pipeline, "SELECT notes FROM documents") for note in row["notes"]]
    assert any("because the upload exceeds the limit" in note for note in notes)


def test_extracts_nothing_from_a_deleted_document(pipeline: Pipeline, workspace: UUID) -> None:
    parent = put(pipeline, workspace, make_zip({"a.txt": "a"}), "one.zip")
    run_worker(pipeline, WorkerOptions(slots=1, single_run=True, stages=("fetch",)), StopRequest())
    assert len(fetch_rows(pipeline, "SELECT FROM jobs WHERE type = 'receive_child'")) == 1
    with pipeline.db.transaction() as conn:
        delete_document(conn, parent)
    run_until_idle(pipeline)
    assert list_names(pipeline) == ["one.zip"]


def test_unlinks_a_deleted_child(pipeline: Pipeline, workspace: UUID) -> None:
    parent = put(pipeline, workspace, make_zip({"a.txt": "a"}), "one.zip")
    run_until_idle(pipeline)
    (child,) = fetch_rows(pipeline, "SELECT id FROM documents WHERE parent_id = %s", parent)
    with pipeline.db.transaction() as conn:
        delete_document(conn, child["id"])
        (left,) = attachments.list_attachments(conn, parent)
    assert (left.name, left.child_id) == ("a.txt", None)


def _lease(conn: Connection, pipeline: Pipeline) -> Any:
    (lease,) = queue.claim(conn, "fetch", register_worker_committed(pipeline.db), 1)
    return lease


def test_rereading_keeps_received_and_drops_missing_attachments(pipeline: Pipeline, workspace: UUID) -> None:
    parent = put(pipeline, workspace, b"anything")
    found = [Attachment("0", "a.txt", 1), Attachment("1", "b.txt", 1)]
    with pipeline.db.transaction() as conn:
        document, lease = documents.get_document(conn, parent), _lease(conn, pipeline)
        queue_attachments(conn, lease, document, found)
        queue_attachments(conn, lease, document, found)
        attachments.link_child(conn, parent, "0", parent)
        attachments.refuse_child(conn, parent, "1", "It was torn.")
        queue_attachments(conn, lease, document, found)
        assert attachments.list_open_members(conn, parent) == ["1"], "a refused one is retried"
        queue_attachments(conn, lease, document, found[:1])
        (left,) = attachments.list_attachments(conn, parent)
    assert (left.member, left.child_id) == ("0", parent)
    assert len(fetch_rows(pipeline, "SELECT FROM jobs WHERE type = 'receive_child'")) == 2, "one for each attachment"


def test_retries_a_document_with_attachments(pipeline: Pipeline, workspace: UUID) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.txt", "a")
    parent = put(pipeline, workspace, out.getvalue(), "one.zip")
    run_until_idle(pipeline)
    with pipeline.db.transaction() as conn:
        conn.execute("DELETE FROM stage_results WHERE document_id = %s AND stage <> 'fetch'", (parent,))
        assert retry_document(conn, parent)
    run_until_idle(pipeline)
    assert list_names(pipeline) == ["one.zip", "a.txt"]
    assert list_attachments(pipeline, parent) == [("a.txt", "completed")]


def test_extracts_the_files_of_a_pdf(pipeline: Pipeline, workspace: UUID) -> None:
    parent = put(pipeline, workspace, make_pdf_with_files({"factur-x.xml": b"<?xml version='1.0'?><total>7</total>"}))
    run_until_idle(pipeline)
    assert list_attachments(pipeline, parent) == [("factur-x.xml", "completed")]
    (child,) = fetch_rows(pipeline, "SELECT * FROM documents WHERE parent_id = %s", parent)
    assert (child["media_type"], child["depth"]) == ("text/xml", 1)


def test_extracts_the_files_of_a_pdf_after_unlocking(pipeline: Pipeline, workspace: UUID) -> None:
    parent = put(pipeline, workspace, make_pdf_with_files({"note.txt": b"the note"}, password="open sesame"))
    run_until_idle(pipeline)
    assert list_attachments(pipeline, parent) == []
    with pipeline.db.transaction() as conn:
        document = documents.get_document(conn, parent)
    unlock_document(pipeline.db, pipeline.blobs, pipeline.children, document, "open sesame")
    run_until_idle(pipeline)
    assert list_attachments(pipeline, parent) == [("note.txt", "completed")]


def test_a_bomb_inside_a_pdf_does_not_affect_its_text_and_other_files(
    pipeline: Pipeline, workspace: UUID, limits: Limits
) -> None:
    small = replace(limits, child_memory_bytes=1_200_000_000)
    with ChildPool(1, small) as children:
        confined = replace(pipeline, children=children, limits=small)
        parent = put(confined, workspace, make_pdf_with_bomb(1500))
        run_until_idle(confined)
    assert fetch_rows(pipeline, "SELECT text FROM pages WHERE document_id = %s", parent) == [
        {"text": "Read all the same"}
    ]
    (document,) = fetch_rows(pipeline, "SELECT * FROM documents WHERE id = %s", parent)
    assert (document["status"], document["reason"]) == ("completed", None)
    assert document["notes"] == ["Attachments that could not be extracted because of damage or the size limit: 1."]
    assert list_attachments(pipeline, parent) == [("a.txt", "completed")]
