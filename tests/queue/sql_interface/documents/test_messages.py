"""Tests that texts written to the views, and the reasons of resets, are kept."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Connection, Database
from tests.pipeline.stage_runs import arrive, finish
from tests.queue.queue_workers import register_worker_committed
from tests.queue.sql_interface.sql_session import (
    fetch_one,
    fetch_queue_entry,
    fetch_source_document,
    make_dead,
    make_running,
    make_scheduled,
    move_into_past,
    set_source_status,
)

TEXT = "Checked by Ann | reset"
PARKED = "Waits for an outside processor: Docyard cannot fetch /x.pdf."
UNSAVED = " | Waits for an outside processor: it was added without a file or a path."


def write(conn: Connection, document_id: UUID, assignments: str, view: str = "document_processing_queue") -> int:
    """Update the row of a document; return how many rows changed."""
    key = "source_document_uuid" if view == "document_processing_queue" else "document_uuid"
    change = f"UPDATE {view} SET {assignments} WHERE {key} = '{document_id}'"  # noqa: S608 (constant text)
    return conn.execute(change.encode()).rowcount


def get_resets(conn: Connection, document_id: UUID) -> list[dict[str, Any]]:
    history = fetch_queue_entry(conn, document_id)["processor_metadata"]["retry_history"]
    assert isinstance(history, list)
    return history


@pytest.mark.parametrize(
    ("state", "column"),
    [
        ("backing off", "error_message"),
        ("dead", "last_error"),
        ("completed", "error_message"),
        ("cancelled", "last_error"),
    ],
)
def test_the_text_of_a_reset_is_kept(
    database: Database, conn: Connection, workspace: UUID, state: str, column: str
) -> None:
    if state == "backing off":
        document_id = make_scheduled(database, workspace)
    elif state == "dead":
        document_id = make_dead(database, workspace, "network", "No route.")
    else:
        document_id = arrive(database, workspace)
        set_source_status(conn, document_id, state)
    assert write(conn, document_id, f"status = 'pending', {column} = '{TEXT}'") == 1
    row = fetch_queue_entry(conn, document_id)
    assert row["error_message"] == row["last_error"] == TEXT
    (reset,) = get_resets(conn, document_id)
    assert (reset["error_message"], reset["reset_reason"]) == (TEXT, "operator")
    assert reset["previous_error"] == ("No route." if state in ("backing off", "dead") else None)
    finish(database, register_worker_committed(database))
    assert get_resets(conn, document_id) == [reset]


def test_the_text_of_a_reset_of_a_running_document_is_in_both_histories(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id, _ = make_running(database, workspace)
    assert write(conn, document_id, f"status = 'pending', last_error = '{TEXT}'") == 1
    row = fetch_queue_entry(conn, document_id)
    assert row["failure_history"][-1]["error"] == row["error_message"] == TEXT
    assert get_resets(conn, document_id)[0]["error_message"] == TEXT


def test_a_text_that_quotes_the_previous_error_is_read_back(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = make_scheduled(database, workspace)
    quote = "status = 'pending', error_message = concat('Before: ', coalesce(error_message, 'Unknown'))"
    assert write(conn, document_id, quote) == 1
    assert fetch_queue_entry(conn, document_id)["error_message"] == "Before: No route."


@pytest.mark.parametrize(
    ("ended", "view"), [("completed", "document_processing_queue"), ("cancelled", "source_documents")]
)
def test_the_text_of_an_outcome_is_kept(
    database: Database, conn: Connection, workspace: UUID, ended: str, view: str
) -> None:
    document_id = arrive(database, workspace)
    column = "status" if view == "document_processing_queue" else "initial_processing_status"
    assert write(conn, document_id, f"{column} = '{ended}', error_message = '{TEXT}'", view) == 1
    row = fetch_queue_entry(conn, document_id)
    assert row["error_message"] == fetch_source_document(conn, document_id)["error_message"] == TEXT
    (message,) = row["processor_metadata"]["messages"]
    assert (message["status"], message["error_message"]) == (ended, TEXT)


@pytest.mark.parametrize("word", ["failed", "ocr_failed"])
@pytest.mark.parametrize("said", [TEXT, None])
def test_the_text_of_a_failure_is_kept_as_it_was_written(
    database: Database, conn: Connection, workspace: UUID, word: str, said: str | None
) -> None:
    document_id = arrive(database, workspace)
    assert write(conn, document_id, f"status = '{word}'" + (f", error_message = '{said}'" if said else "")) == 1
    shown = said or f"An outside processor set the status to {word}."
    row = fetch_queue_entry(conn, document_id)
    assert row["error_message"] == row["last_error"] == row["failure_history"][-1]["error"] == shown
    assert fetch_source_document(conn, document_id)["error_message"] == shown
    (letter,) = queue.find_dead_letters(conn)
    assert letter.message == shown


@pytest.mark.parametrize(
    ("status", "shown"),
    [
        ("pending_intake", f"{TEXT} | {PARKED}"),
        ("pre_ocr_pending", f"{TEXT} | {PARKED}"),
        ("completed", TEXT),
        ("error_scanner", TEXT),
    ],
)
def test_a_text_that_was_inserted_is_kept(conn: Connection, workspace: UUID, status: str, shown: str) -> None:
    insert = (
        "INSERT INTO source_documents (project_uuid, original_file_path, initial_processing_status, error_message)"
        " VALUES (%s, '/x.pdf', %s, %s) RETURNING document_uuid AS id"
    )
    document_id = fetch_one(conn, insert, workspace, status, TEXT)["id"]
    row = fetch_queue_entry(conn, document_id)
    assert row["error_message"] == fetch_source_document(conn, document_id)["error_message"] == shown
    (message,) = row["processor_metadata"]["messages"]
    assert (message["status"], message["error_message"]) == (status, TEXT)


def test_a_text_that_was_copied_is_kept_when_the_document_is_claimed(conn: Connection, workspace: UUID) -> None:
    with conn.cursor().copy("COPY documents (workspace_id, name, original_path, reason) FROM STDIN") as copy:
        copy.write_row((workspace, "a", "/x.pdf", TEXT))
        copy.write_row((workspace, "b", "/x.pdf", None))
    shown = "SELECT reason FROM documents ORDER BY name"
    assert [row["reason"] for row in conn.execute(shown)] == [f"{TEXT} | {PARKED}", PARKED]
    conn.execute("UPDATE document_processing_queue SET status = 'processing'")
    assert [row["reason"] for row in conn.execute(shown)] == [TEXT, None]


@pytest.mark.parametrize(
    ("view", "state"),
    [
        ("document_processing_queue", "pending"),
        ("source_documents", "running"),
        ("document_processing_queue", "dead"),
    ],
)
def test_a_text_alone_is_kept(database: Database, conn: Connection, workspace: UUID, view: str, state: str) -> None:
    if state == "pending":
        document_id = arrive(database, workspace)
    elif state == "running":
        document_id, _ = make_running(database, workspace)
    else:
        document_id = make_dead(database, workspace, "network")
    before = fetch_queue_entry(conn, document_id)["status"]
    for text in ("First.", TEXT):
        assert write(conn, document_id, f"error_message = '{text}'", view) == 1
    row = fetch_queue_entry(conn, document_id)
    assert (row["status"], row["error_message"]) == (before, TEXT)
    assert [message["error_message"] for message in row["processor_metadata"]["messages"]] == ["First.", TEXT]


@pytest.mark.parametrize("view", ["document_processing_queue", "source_documents"])
@pytest.mark.parametrize("state", ["pending", "parked", "backing off", "dead", "inserted as failed"])
def test_null_removes_a_text_and_shows_the_reason_of_the_state_again(
    database: Database, conn: Connection, workspace: UUID, state: str, view: str
) -> None:
    if state == "pending":
        document_id, reason = arrive(database, workspace), None
    elif state == "backing off":
        document_id, reason = make_scheduled(database, workspace), "No route."
    elif state == "dead":
        document_id, reason = make_dead(database, workspace, "network", "No route."), "No route."
    else:
        document_id = UUID(int=1)
        conn.execute(
            "INSERT INTO source_documents (document_uuid, project_uuid, original_file_path, initial_processing_status)"
            " VALUES (%s, %s, '/x.pdf', %s)",
            (document_id, workspace, "pending_intake" if state == "parked" else "error_x"),
        )
        reason = PARKED if state == "parked" else fetch_queue_entry(conn, document_id)["error_message"]
    assert write(conn, document_id, f"error_message = '{TEXT}'", view) == 1
    assert write(conn, document_id, "error_message = NULL", view) == 1
    row = fetch_queue_entry(conn, document_id)
    assert row["error_message"] == fetch_source_document(conn, document_id)["error_message"] == reason
    assert [message["error_message"] for message in row["processor_metadata"]["messages"]] == [TEXT]


def test_null_for_a_text_that_was_not_set_changes_nothing(
    database: Database, conn: Connection, workspace: UUID
) -> None:
    document_id = make_scheduled(database, workspace)
    notices: list[str] = []
    conn.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
    assert write(conn, document_id, "error_message = NULL") == 0
    assert notices == ["Document 1 is not changed: its error_message was not set, but explains its state."]


def test_texts_are_cut_and_the_last_20_are_kept(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = arrive(database, workspace)
    for number in range(23):
        assert write(conn, document_id, f"error_message = '{number}'") == 1
    messages = fetch_queue_entry(conn, document_id)["processor_metadata"]["messages"]
    assert [message["error_message"] for message in messages] == [str(number) for number in range(3, 23)]
    long = "x" * 10_001
    assert write(conn, document_id, f"error_message = '{long}'", "source_documents") == 1
    assert fetch_queue_entry(conn, document_id)["error_message"] == long[:10_000]
    assert write(conn, document_id, f"status = 'failed', last_error = '{long}y'") == 1
    assert fetch_queue_entry(conn, document_id)["failure_history"][-1]["error"] == long[:10_000]
    conn.execute("UPDATE document_processing_queue SET status = 'pending'")
    conn.execute("SELECT update_queue_status_with_history(1, 'failed', %s)", (long,))
    insert = "INSERT INTO source_documents (project_uuid, original_file_name, error_message) VALUES (%s, 'a', %s)"
    conn.execute(insert, (workspace, long))
    reasons = fetch_one(conn, "SELECT array_agg(length(reason) ORDER BY seq) AS lengths FROM documents")
    assert reasons == {"lengths": [10_000, 10_000 + len(UNSAVED)]}


def test_an_automatic_reset_is_recorded_with_its_reason(database: Database, conn: Connection, workspace: UUID) -> None:
    document_id = make_dead(database, workspace, "network", "No route.")
    again = make_dead(database, workspace, "network")
    move_into_past(conn, document_id)
    assert fetch_one(conn, "SELECT reset_failed_documents_for_retry() AS n") == {"n": 1}
    (reset,) = get_resets(conn, document_id)
    assert (reset["reset_reason"], reset["previous_status"]) == ("automatic_retry", "failed")
    assert reset["previous_error"] == "No route."
    with database.transaction() as duty:
        assert queue.requeue_document(duty, again)
    assert get_resets(conn, again)[0]["reset_reason"] == "automatic_retry"
