"""Attachments become documents of their own, once, within limits, and linked to their parent."""

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
from docyard.pipeline.attachments import keep_attachments
from docyard.pipeline.cancellation import remove_document
from docyard.pipeline.children import ChildPool
from docyard.pipeline.reruns import retry_document
from docyard.pipeline.run import Pipeline
from docyard.pipeline.unlocked_copies import unlock_document
from docyard.store import attachments, documents
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.attachment_jobs import receive_child
from docyard.worker.settlements import Finished
from docyard.worker.stop_request import Stopping
from tests.builders.container_files import pdf_with, pdf_with_bomb
from tests.builders.emails import letter
from tests.builders.office.packages import zip_of
from tests.queue.queue_workers import hired
from tests.worker.worker_runs import rows, work


def put(pipeline: Pipeline, workspace: UUID, data: bytes, name: str = "a file") -> UUID:
    """Upload a document."""
    arrival = Arrival(
        workspace, name, "upload", tier=Tier.BACKGROUND, priority=7, tags=("case 12",), folder="Claims"
    )
    return receive(pipeline.db, pipeline.blobs, pipeline.limits, arrival, [data]).document_id


def list_names(pipeline: Pipeline) -> list[str]:
    return [row["name"] for row in rows(pipeline, "SELECT name FROM documents ORDER BY depth, name")]


def list_attachments(pipeline: Pipeline, document: UUID) -> list[tuple[str, str | None]]:
    """Return name and status, or refusal, of each attachment of a document."""
    with pipeline.db.transaction() as conn:
        return [
            (each.name, each.status or each.reason) for each in attachments.attachments_of(conn, document)
        ]


def test_extracts_attachments_of_a_message_recursively(pipeline: Pipeline, workspace: UUID) -> None:
    archive = zip_of({"deep/../note.txt": "in the archive", "empty.txt": ""})
    made = letter("see below", attachments=[("plan.txt", b"the plan"), ("all.zip", archive)], subject="Plans")
    parent = put(pipeline, workspace, made.as_bytes(), "plans.eml")
    work(pipeline)
    assert list_names(pipeline) == ["plans.eml", "all.zip", "plan.txt", "note.txt"]
    assert list_attachments(pipeline, parent) == [("plan.txt", "completed"), ("all.zip", "completed")]
    children = rows(pipeline, "SELECT * FROM documents WHERE parent_id = %s", parent)
    for child in children:
        assert (child["source"], child["tier"], child["priority"]) == ("child", Tier.BACKGROUND, 7)
        assert child["folder_id"] is not None
        assert child["folder_id"] == rows(pipeline, "SELECT id FROM folders")[0]["id"]
        assert (child["tags"], child["depth"], child["workspace_id"]) == (["case 12"], 1, workspace)
    (note,) = rows(pipeline, "SELECT * FROM documents WHERE name = 'note.txt'")
    with pipeline.db.transaction() as conn:
        assert [each.name for each in attachments.found_in(conn, note["id"])] == ["all"]
    assert note["depth"] == 2
    assert rows(pipeline, "SELECT text FROM pages WHERE document_id = %s", note["id"]) == [
        {"text": "in the archive"}
    ]


def test_links_an_attachment_to_an_existing_document(pipeline: Pipeline, workspace: UUID) -> None:
    known = put(pipeline, workspace, b"the plan", "my plan.txt")
    first = put(pipeline, workspace, zip_of({"plan.txt": "the plan"}), "one.zip")
    second = put(pipeline, workspace, zip_of({"copy.txt": "the plan", "x.txt": "x"}), "two.zip")
    work(pipeline)
    assert list_names(pipeline) == ["my plan.txt", "one.zip", "two.zip", "x.txt"]
    assert list_attachments(pipeline, first) == [("plan.txt", "completed")]
    with pipeline.db.transaction() as conn:
        assert {each.id for each in attachments.found_in(conn, known)} == {first, second}


def test_extracts_equal_archives_once(pipeline: Pipeline, workspace: UUID) -> None:
    data = zip_of({"a.txt": "a"})
    put(pipeline, workspace, zip_of({"inner.zip": data, "again.zip": data}), "outer.zip")
    put(pipeline, workspace, data, "inner itself.zip")
    work(pipeline)
    assert list_names(pipeline) == ["inner itself.zip", "outer.zip", "a.txt"]


def test_a_retry_creates_no_second_document(pipeline: Pipeline, workspace: UUID) -> None:
    parent = put(pipeline, workspace, zip_of({"a.txt": "a"}), "one.zip")
    run_worker(pipeline, WorkerOptions(slots=1, single_run=True, stages=("fetch",)), Stopping())
    worker = hired(pipeline.db)
    with pipeline.db.transaction() as conn:
        (lease,) = queue.claim(conn, "receive_child", worker, 1)
    first = receive_child(pipeline, lease, lambda: False)
    assert isinstance(first, Finished), "received, but the worker died before it settled the job"
    assert list_attachments(pipeline, parent) == [("a.txt", None)]
    second = receive_child(pipeline, lease, lambda: False)
    with pipeline.db.transaction() as conn:
        assert second.effect
        second.effect(conn)
    assert list_attachments(pipeline, parent) == [("a.txt", "pending")]
    assert list_names(pipeline) == ["one.zip", "a.txt"]
    third = receive_child(pipeline, lease, lambda: False)
    assert third == Finished(), "an attachment with a document is skipped"


def test_refuses_a_damaged_member_and_receives_the_others(pipeline: Pipeline, workspace: UUID) -> None:
    data = bytearray(zip_of({"good.txt": "good", "bad.txt": "b" * 50}, zipfile.ZIP_STORED))
    data[data.index(b"b" * 50)] ^= 1
    parent = put(pipeline, workspace, bytes(data), "one.zip")
    work(pipeline)
    assert list_attachments(pipeline, parent) == [
        ("good.txt", "completed"),
        ("bad.txt", "The file is damaged: its contents cannot be unpacked."),
    ]
    assert rows(pipeline, "SELECT status, reason FROM documents WHERE id = %s", parent) == [
        {"status": "completed", "reason": None}
    ]
    assert not rows(pipeline, "SELECT FROM dead_letters")


def nest_archives(levels: int) -> bytes:
    data = zip_of({"innermost.txt": "at last"})
    for level in range(levels):
        data = zip_of({f"level {level}.zip": data})
    return data


def test_limits_the_depth_of_nesting(pipeline: Pipeline, workspace: UUID) -> None:
    shallow = replace(pipeline, limits=replace(Limits(), attachment_depth=2))
    put(shallow, workspace, nest_archives(4), "outer.zip")
    work(shallow)
    assert list_names(pipeline) == ["outer.zip", "level 3.zip", "level 2.zip"]
    (last,) = rows(pipeline, "SELECT notes FROM documents WHERE name = 'level 2.zip'")
    assert last["notes"] == [
        "This document is nested inside 2 other documents; its attachments were not extracted."
    ]


@pytest.mark.parametrize(
    "limits", [replace(Limits(), family_documents=5), replace(Limits(), family_bytes=2000)]
)
def test_limits_the_files_of_one_upload(pipeline: Pipeline, workspace: UUID, limits: Limits) -> None:
    few = replace(pipeline, limits=limits)
    archives = {
        f"{name}.zip": zip_of({f"{name}{number}.txt": f"{name}{number}" * 100 for number in range(4)})
        for name in "ab"
    }
    put(few, workspace, zip_of(archives), "outer.zip")
    work(few)
    extracted = rows(pipeline, "SELECT FROM attachments")
    assert 4 <= len(extracted) == len(list_names(pipeline)) - 1 < 10
    notes = [note for row in rows(pipeline, "SELECT notes FROM documents") for note in row["notes"]]
    assert any("because the upload exceeds the limit" in note for note in notes)


def test_extracts_nothing_from_a_deleted_document(pipeline: Pipeline, workspace: UUID) -> None:
    parent = put(pipeline, workspace, zip_of({"a.txt": "a"}), "one.zip")
    run_worker(pipeline, WorkerOptions(slots=1, single_run=True, stages=("fetch",)), Stopping())
    assert len(rows(pipeline, "SELECT FROM jobs WHERE type = 'receive_child'")) == 1
    with pipeline.db.transaction() as conn:
        remove_document(conn, parent)
    work(pipeline)
    assert list_names(pipeline) == ["one.zip"]


def test_unlinks_a_deleted_child(pipeline: Pipeline, workspace: UUID) -> None:
    parent = put(pipeline, workspace, zip_of({"a.txt": "a"}), "one.zip")
    work(pipeline)
    (child,) = rows(pipeline, "SELECT id FROM documents WHERE parent_id = %s", parent)
    with pipeline.db.transaction() as conn:
        remove_document(conn, child["id"])
        (left,) = attachments.attachments_of(conn, parent)
    assert (left.name, left.child_id) == ("a.txt", None)


def _lease(conn: Connection, pipeline: Pipeline) -> Any:
    (lease,) = queue.claim(conn, "fetch", hired(pipeline.db), 1)
    return lease


def test_rereading_keeps_received_and_drops_missing_attachments(pipeline: Pipeline, workspace: UUID) -> None:
    parent = put(pipeline, workspace, b"anything")
    found = [Attachment("0", "a.txt", 1), Attachment("1", "b.txt", 1)]
    with pipeline.db.transaction() as conn:
        document, lease = documents.get_document(conn, parent), _lease(conn, pipeline)
        keep_attachments(conn, lease, document, found)
        keep_attachments(conn, lease, document, found)
        attachments.link_child(conn, parent, "0", parent)
        attachments.refuse_child(conn, parent, "1", "It was torn.")
        keep_attachments(conn, lease, document, found)
        assert attachments.waiting_members(conn, parent) == ["1"], "it is retried"
        keep_attachments(conn, lease, document, found[:1])
        (left,) = attachments.attachments_of(conn, parent)
    assert (left.member, left.child_id) == ("0", parent)
    assert len(rows(pipeline, "SELECT FROM jobs WHERE type = 'receive_child'")) == 2, (
        "one for each attachment"
    )


def test_retries_a_document_with_attachments(pipeline: Pipeline, workspace: UUID) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.txt", "a")
    parent = put(pipeline, workspace, out.getvalue(), "one.zip")
    work(pipeline)
    with pipeline.db.transaction() as conn:
        conn.execute("DELETE FROM stage_results WHERE document_id = %s AND stage <> 'fetch'", (parent,))
        assert retry_document(conn, parent)
    work(pipeline)
    assert list_names(pipeline) == ["one.zip", "a.txt"]
    assert list_attachments(pipeline, parent) == [("a.txt", "completed")]


def test_extracts_the_files_of_a_pdf(pipeline: Pipeline, workspace: UUID) -> None:
    parent = put(pipeline, workspace, pdf_with({"factur-x.xml": b"<?xml version='1.0'?><total>7</total>"}))
    work(pipeline)
    assert list_attachments(pipeline, parent) == [("factur-x.xml", "completed")]
    (child,) = rows(pipeline, "SELECT * FROM documents WHERE parent_id = %s", parent)
    assert (child["media_type"], child["depth"]) == ("text/xml", 1)


def test_extracts_the_files_of_a_pdf_after_unlocking(pipeline: Pipeline, workspace: UUID) -> None:
    parent = put(pipeline, workspace, pdf_with({"note.txt": b"the note"}, password="open sesame"))
    work(pipeline)
    assert list_attachments(pipeline, parent) == []
    with pipeline.db.transaction() as conn:
        document = documents.get_document(conn, parent)
    unlock_document(pipeline.db, pipeline.blobs, pipeline.children, document, "open sesame")
    work(pipeline)
    assert list_attachments(pipeline, parent) == [("note.txt", "completed")]


def test_a_bomb_inside_a_pdf_does_not_affect_its_text_and_other_files(
    pipeline: Pipeline, workspace: UUID, limits: Limits
) -> None:
    small = replace(limits, child_memory_bytes=1_200_000_000)
    with ChildPool(1, small) as children:
        confined = replace(pipeline, children=children, limits=small)
        parent = put(confined, workspace, pdf_with_bomb(1500))
        work(confined)
    assert rows(pipeline, "SELECT text FROM pages WHERE document_id = %s", parent) == [
        {"text": "Read all the same"}
    ]
    (document,) = rows(pipeline, "SELECT * FROM documents WHERE id = %s", parent)
    assert (document["status"], document["reason"]) == ("completed", None)
    assert document["notes"] == [
        "Attachments that could not be extracted because they are damaged or too large: 1."
    ]
    assert list_attachments(pipeline, parent) == [("a.txt", "completed")]
