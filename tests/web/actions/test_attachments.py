"""Attachments and their parent documents on pages and in the API."""

from __future__ import annotations

from uuid import UUID

from docyard import queue
from docyard.db import Database
from docyard.errors import Retry
from docyard.model.jobs import NewJob
from docyard.model.stage_values import Attachment
from docyard.pipeline import step as steps
from docyard.pipeline.attachments import RECEIVE_CHILD
from docyard.store import attachments, documents
from docyard.web.view.formats import file_type_label
from tests.queue.queue_workers import register_worker_committed
from tests.web.site import Client, Library

HOSTILE = "<img src=x onerror=alert(1)>.txt"


def attach(database: Database, parent: UUID, child: UUID | None, name: str = "plan.txt") -> None:
    with database.transaction() as conn:
        found = [Attachment("0", name, 2048), Attachment("1", "torn.bin", 1), Attachment("2", "late.bin", 1)]
        attachments.save_attachments(conn, documents.get_document(conn, parent), found)
        if child:
            attachments.link_child(conn, parent, "0", child)
        attachments.refuse_child(conn, parent, "1", "It is torn.")


def test_parent_and_attachment_link_to_each_other(
    viewer: Client, shelf: Library, workspace: UUID, database: Database
) -> None:
    parent = shelf.add_processed(workspace, "mail.eml", "From: Ann", title="A letter")
    child = shelf.add_processed(workspace, "plan.txt", "the plan")
    attach(database, parent, child)
    page = viewer.get(f"/documents/{parent}").text
    assert f'<a href="/documents/{child}">plan.txt</a>' in page
    assert "It is torn." in page
    assert "Not extracted yet" in page
    assert f'<a href="/documents/{parent}">A letter</a>' in viewer.get(f"/documents/{child}").text
    shown = viewer.get(f"/api/v1/documents/{parent}").json()
    assert shown["attachments"][0] == {
        "name": "plan.txt",
        "size": 2048,
        "documentId": str(child),
        "status": "completed",
        "reason": None,
        "retryable": False,
    }
    assert [each["reason"] for each in shown["attachments"]] == [None, "It is torn.", None]
    assert viewer.get(f"/api/v1/documents/{child}").json()["foundIn"] == [{"id": str(parent), "name": "A letter"}]
    lone = shelf.add_processed(workspace, "lone.txt", "alone")
    page = viewer.get(f"/documents/{lone}").text
    assert "Attachments" not in page
    assert 'data-live="attachments" hidden' in page, "live updates need an existing section"
    assert "Contained in" not in viewer.get(f"/documents/{lone}").text


def fail_extraction(database: Database, parent: UUID, member: str, message: str) -> None:
    """Let the job that extracts this attachment fail in its last attempt."""
    worker = register_worker_committed(database)
    with database.transaction() as conn:
        workspace = documents.get_document(conn, parent).workspace_id
        payload = {"member": member}
        queue.enqueue(conn, [NewJob(workspace, RECEIVE_CHILD, RECEIVE_CHILD, document_id=parent, payload=payload)])
        conn.execute("UPDATE jobs SET max_attempts = 1")
        (lease,) = queue.claim(conn, RECEIVE_CHILD, worker, 1)
        assert steps.fail(conn, lease, Retry("crash", message))


def test_an_editor_retries_a_failed_extraction(
    editor: Client, viewer: Client, shelf: Library, workspace: UUID, database: Database
) -> None:
    parent = shelf.add_processed(workspace, "one.zip", "x", title="An archive")
    attach(database, parent, None)
    assert "Retry extraction" not in editor.get(f"/documents/{parent}").text
    fail_extraction(database, parent, "2", "The reader crashed.")
    assert "The reader crashed." in viewer.get(f"/documents/{parent}").text
    assert "Retry extraction" not in viewer.get(f"/documents/{parent}").text
    assert 'aria-label="Retry extraction: An archive"' in editor.get(f"/documents/{parent}").text
    shown = editor.get(f"/api/v1/documents/{parent}").json()
    assert [each["retryable"] for each in shown["attachments"]] == [False, False, True]
    assert editor.call("POST", f"/api/v1/documents/{parent}/retry").json()["success"]
    with database.transaction() as conn:
        assert conn.execute("SELECT state FROM jobs WHERE type = 'receive_child'").fetchall() == [{"state": "pending"}]
    page = editor.get(f"/documents/{parent}").text
    assert "Retry extraction" not in page
    assert "Not extracted yet" in page


def test_escapes_attachment_names(viewer: Client, shelf: Library, workspace: UUID, database: Database) -> None:
    parent = shelf.add_processed(workspace, "one.zip", "x")
    attach(database, parent, None, HOSTILE)
    page = viewer.get(f"/documents/{parent}").text
    assert HOSTILE not in page
    assert "&lt;img src=x onerror=alert(1)&gt;.txt" in page


def test_deleted_parent_is_not_linked(viewer: Client, shelf: Library, workspace: UUID, database: Database) -> None:
    parent, child = shelf.add_processed(workspace, "a.eml", "a"), shelf.add_processed(workspace, "b.txt", "b")
    attach(database, parent, child)
    with database.transaction() as conn:
        documents.delete_document(conn, parent)
    assert viewer.get(f"/api/v1/documents/{child}").json()["foundIn"] == []


def test_hidden_from_other_workspaces(outsider: Client, shelf: Library, workspace: UUID, database: Database) -> None:
    parent, child = shelf.add_processed(workspace, "a.eml", "a"), shelf.add_processed(workspace, "b.txt", "b")
    attach(database, parent, child)
    for document in (parent, child):
        assert outsider.get(f"/documents/{document}").status_code == 404
        assert outsider.get(f"/api/v1/documents/{document}").status_code == 404


def test_labels_media_types() -> None:
    assert file_type_label("application/vnd.ms-word.template.macroEnabled.12") == "Word document"
    assert file_type_label("application/vnd.ms-excel") == "Excel workbook"
    assert file_type_label("application/vnd.oasis.opendocument.text-template") == "OpenDocument text"
    assert file_type_label("application/x-odd") == "application/x-odd"
    assert file_type_label(None) == "Not known yet"


def test_attachment_notifies_pages_of_the_parent(shelf: Library, workspace: UUID, database: Database) -> None:
    parent, child = shelf.add_processed(workspace, "a.eml", "a"), shelf.add_processed(workspace, "b.txt", "b")
    with database.connect() as listening:
        listening.execute("LISTEN docyard_documents")
        attach(database, parent, child)
        received = [notice.payload for notice in listening.notifies(timeout=5, stop_after=1)]
    assert received[0] == f"{workspace}:{parent}"
