"""The document list, one document, its original, and actions on it."""

from __future__ import annotations

from uuid import UUID

import httpx
import pytest

from docyard import queue
from docyard.db import Database
from docyard.model.stage_values import ExtractedText
from docyard.model.text.blocks import Block, pack_blocks
from docyard.model.text.pages import Page
from docyard.pipeline import step as steps
from docyard.stages import get_stage
from docyard.store import documents, results
from docyard.web.pages import documents as documents_page
from docyard.web.pages.originals import disposition
from tests.queue.queue_workers import register_worker_committed
from tests.web.site import Client, Library

HOSTILE = "<img src=x onerror=alert(1)>.txt"
# Only the unclosed tag at the end reaches a snippet: search removes closed tags.
SCRIPT = "Beware of <script>alert('harbour')</script> & the harbour master. <img src=x onerror=alert(2) harbour"


def test_failed_document_shows_reason_and_retry(
    editor: Client, viewer: Client, shelf: Library, workspace: UUID, database: Database
) -> None:
    document = shelf.add_document(workspace, "torn.pdf", b"%PDF torn")
    with database.transaction() as conn:
        documents.mark_failed(conn, document, 1.0, category="corrupt", reason="Page 3 is torn.")
    for path in ("/", f"/documents/{document}", f"/documents/{document}/row"):
        page = editor.get(path).text
        assert "Page 3 is torn." in page, path
        assert "Failed" in page, path
        assert "Retry processing" in page, path
        assert "Retry processing" not in viewer.get(path).text, path
    assert "The file or a part of it is damaged and cannot be read." in editor.get(f"/documents/{document}").text
    assert "Download original" in viewer.get(f"/documents/{document}").text
    assert "/delete" not in viewer.get(f"/documents/{document}").text


def test_document_that_cannot_be_fetched_shows_what_it_waits_for(
    editor: Client, workspace: UUID, database: Database
) -> None:
    with database.transaction() as conn:
        document = conn.execute(
            "INSERT INTO source_documents (project_uuid, original_file_path) VALUES (%s, 's3://scans/1.pdf')"
            " RETURNING document_uuid AS id",
            (workspace,),
        ).fetchall()[0]["id"]
    reason = "Waits for an outside processor: Docyard cannot fetch s3://scans/1.pdf."
    for path in ("/", f"/documents/{document}", f"/documents/{document}/row"):
        page = editor.get(path).text
        assert "Waiting for another program" in page, path
        assert reason in page, path
        assert "Will be retried" not in page, path
    shown = editor.get(f"/api/v1/documents/{document}").json()
    assert (shown["status"], shown["reason"], shown["retryAt"]) == ("pending", reason, None)
    assert shown["state"]["name"] == "parked"


def test_a_failed_page_mentions_the_original_only_if_there_is_one(
    editor: Client, shelf: Library, workspace: UUID, database: Database
) -> None:
    stored = shelf.add_document(workspace, "a.txt", b"a")
    with database.transaction() as conn:
        named = conn.execute(
            "INSERT INTO source_documents (project_uuid, original_file_name) VALUES (%s, 'b') RETURNING document_uuid",
            (workspace,),
        ).fetchall()[0]["document_uuid"]
        conn.execute("UPDATE source_documents SET initial_processing_status = 'error_scanner'")
    shown = [editor.get(f"/documents/{document}").text for document in (stored, named)]
    assert all("An outside processor set the status to error_scanner." in page for page in shown)
    assert ["The original file is kept and can be downloaded." in page for page in shown] == [True, False]


def test_running_document_shows_its_progress(
    editor: Client, shelf: Library, workspace: UUID, database: Database
) -> None:
    document = shelf.add_document(workspace, "a.txt", b"a")
    row = editor.get(f"/documents/{document}/row").text
    assert "Waiting" in row
    assert 'title="Fetch"' not in row
    start_attempt(database, document, "extract")
    row = editor.get(f"/documents/{document}/row").text
    assert 'class="done" title="Fetch"' in row
    assert 'class="current" aria-current="step" title="Extract"' in row
    assert 'class="pending" title="Chunk"' in row
    with database.transaction() as conn:
        conn.execute("UPDATE documents SET attempt_started_at = now() - interval '11 minutes'")
    assert "Taking a long time" in editor.get(f"/documents/{document}/row").text


def start_attempt(database: Database, document: UUID, stage: str) -> None:
    """Let a worker claim the document and start an attempt at a stage."""
    worker = register_worker_committed(database)
    with database.transaction() as conn:
        assert [lease.document_id for lease in queue.claim(conn, "fetch", worker, 1)] == [document]
        documents.start_attempt(conn, document, stage)


def test_a_document_between_two_stages_waits_and_shows_what_is_done(
    editor: Client, shelf: Library, workspace: UUID, database: Database
) -> None:
    document = shelf.add_document(workspace, "scan.png", b"scan")
    with database.transaction() as conn:
        documents.mark_queued(conn, document, "ocr", 1.0, category="crash", reason="It crashed.")
        conn.execute("UPDATE documents SET attempt_started_at = now() - interval '11 minutes'")
    shown = editor.get(f"/api/v1/documents/{document}").json()
    assert (shown["status"], shown["state"]["word"], shown["state"]["action"]) == ("pending", "Waiting", None)
    for path in (f"/documents/{document}/row", f"/documents/{document}"):
        page = editor.get(path).text
        assert 'class="done" title="Extract"' in page, path
        assert 'class="pending" title="OCR"' in page, path
        assert "It crashed." in page, path
        assert "Will be retried" not in page, path
        assert "aria-current" not in page.split('class="way"')[1].split("</ol>")[0], path


def test_stale_state_depends_on_the_attempt_not_on_document_age(
    editor: Client, shelf: Library, workspace: UUID, database: Database
) -> None:
    document = shelf.add_document(workspace, "old.txt", b"a")
    start_attempt(database, document, "extract")
    with database.transaction() as conn:
        conn.execute("UPDATE documents SET created_at = now() - interval '3 days'")
    assert editor.get(f"/api/v1/documents/{document}").json()["state"]["name"] == "processing"
    with database.transaction() as conn:
        conn.execute("UPDATE documents SET created_at = now(), attempt_started_at = now() - interval '601 s'")
    assert editor.get(f"/api/v1/documents/{document}").json()["state"]["name"] == "stale"


def test_list_has_filters_and_pages(editor: Client, shelf: Library, workspace: UUID, database: Database) -> None:
    for number in range(documents_page.PAGE_SIZE + 2):
        shelf.add_document(workspace, f"paper-{number:03}.txt", b"%d" % number)
    with database.transaction() as conn:
        conn.execute(
            "UPDATE documents SET status = 'failed', reason = 'r', completed_at = now() WHERE name = 'paper-000.txt'"
        )
    newest = editor.get("/").text
    assert "paper-051.txt" in newest
    assert "paper-001.txt" not in newest
    older = newest.split('rel="next" href="')[1].split('"')[0].replace("&amp;", "&")
    assert "paper-001.txt" in editor.get(older).text
    failed = editor.get("/?status=failed").text
    assert "paper-000.txt" in failed
    assert "paper-001.txt" not in failed
    assert editor.get("/?status=nonsense").status_code == 400
    assert editor.get("/?below=nonsense").status_code == 400
    listed = editor.get("/api/v1/documents?limit=10").json()
    assert len(listed["documents"]) == 10
    assert listed["counts"] == {"pending": documents_page.PAGE_SIZE + 1, "failed": 1}
    assert len(editor.get(f"/api/v1/documents?below={listed['next']}").json()["documents"]) == 42


def test_retry_returns_the_job_and_tolerates_a_double_click(
    editor: Client, shelf: Library, workspace: UUID, database: Database
) -> None:
    document = shelf.add_document(workspace, "torn.pdf", b"%PDF torn")
    with database.transaction() as conn:
        conn.execute("DELETE FROM jobs")
        documents.mark_failed(conn, document, 1.0, category="corrupt", reason="torn")
    path = f"/api/v1/documents/{document}/retry"
    answers = [editor.call("POST", path).json() for _ in range(2)]
    assert answers[0] == {"success": True, "jobId": answers[0]["jobId"]}
    assert answers[1] in ({"skipped": True}, answers[0])
    with database.transaction() as conn:
        assert conn.execute("SELECT id::text FROM jobs").fetchall() == [{"id": answers[0]["jobId"]}]
    page = editor.post(f"/documents/{document}/retry", back="//evil.example")
    assert page.headers["location"] == f"/documents/{document}"


def test_retry_without_work_is_skipped(editor: Client, shelf: Library, workspace: UUID, database: Database) -> None:
    document = shelf.add_document(workspace, "photo.heic", b"photo")
    with database.transaction() as conn:
        conn.execute("DELETE FROM jobs")
        for done, outcome in (("fetch", "done"), ("extract", "degraded")):
            conn.execute(
                "INSERT INTO stage_results (document_id, workspace_id, stage, version, outcome, job_id,"
                " worker_id, fence, seconds)"
                " VALUES (%s, %s, %s, %s, %s, gen_random_uuid(), gen_random_uuid(), 1, 1)",
                (document, workspace, done, get_stage(done).version, outcome),
            )
        documents.mark_completed(conn, document, 1.0, category="unsupported_file_type", reason="not read")
    assert editor.call("POST", f"/api/v1/documents/{document}/retry").json() == {"skipped": True}


def test_a_locked_document_answers_503_in_bounded_time(
    editor: Client, shelf: Library, workspace: UUID, database: Database
) -> None:
    document = shelf.add_document(workspace, "a.txt", b"a")
    with database.transaction() as conn:
        conn.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        conn.execute("SELECT FROM jobs FOR UPDATE")
        conn.execute("SELECT FROM documents FOR UPDATE")
        answer = editor.call("POST", f"/api/v1/documents/{document}/cancel")
    assert answer.status_code == 503
    assert answer.json()["error"].startswith("Another program is changing this at the moment.")
    assert editor.get(f"/documents/{document}").status_code == 200


def test_cancels_and_retries_a_document(
    editor: Client, viewer: Client, shelf: Library, workspace: UUID, database: Database
) -> None:
    document = shelf.add_document(workspace, "a.txt", b"a")
    page = f"/documents/{document}"
    assert f'action="{page}/cancel"' in editor.get(page).text
    assert f'action="{page}/cancel"' not in viewer.get(page).text
    assert editor.post(f"{page}/cancel", back="//evil.example").headers["location"] == page
    shown = editor.get(page).text
    for words in (
        "Processing cancelled.",
        "Cancelled by editor@example.org.",
        "Retry processing",
        "Processing did not start.",
    ):
        assert words in shown, words
    assert f"{page}/cancel" not in shown
    with database.transaction() as conn:
        assert conn.execute("SELECT FROM jobs").fetchall() == []
    assert "Processing had already ended." in _follow(editor, editor.post(f"{page}/cancel"))
    assert editor.call("POST", f"/api/v1{page}/cancel").json() == {"skipped": True}
    assert editor.call("POST", f"/api/v1{page}/retry").json()["success"]
    assert editor.get(f"/api/v1{page}").json()["state"]["cancel"] == "Cancel"
    assert editor.call("POST", f"/api/v1{page}/cancel").json() == {"success": True}
    assert editor.get(f"/api/v1{page}").json()["status"] == "cancelled"


@pytest.mark.parametrize("stale", [False, True])
def test_running_document_can_be_cancelled(
    editor: Client, shelf: Library, workspace: UUID, database: Database, stale: bool
) -> None:
    document = shelf.add_document(workspace, "a.txt", b"a")
    start_attempt(database, document, "extract")
    if stale:
        with database.transaction() as conn:
            conn.execute("UPDATE documents SET attempt_started_at = now() - interval '11 minutes'")
    assert f'action="/documents/{document}/cancel"' in editor.get(f"/documents/{document}").text
    assert editor.call("POST", f"/api/v1/documents/{document}/cancel").json() == {"success": True}


def test_a_stale_document_is_taken_from_its_worker_and_retried(
    editor: Client, shelf: Library, workspace: UUID, database: Database
) -> None:
    document = shelf.add_document(workspace, "a.txt", b"a")
    worker = register_worker_committed(database)
    with database.transaction() as conn:
        (lease,) = queue.claim(conn, "fetch", worker, 1)
        assert steps.begin(conn, lease)
        conn.execute("UPDATE documents SET attempt_started_at = now() - interval '11 minutes'")
    path = f"/api/v1/documents/{document}"
    assert f'action="/documents/{document}/retry"' in editor.get(f"/documents/{document}").text
    for _ in range(2):
        assert editor.call("POST", f"{path}/retry").json() == {"success": True, "jobId": str(lease.job_id)}
        assert editor.get(path).json()["state"]["name"] == "waiting"
    with database.transaction() as conn:
        assert queue.lock_lease(conn, lease) is None
        (again,) = queue.claim(conn, "fetch", worker, 1)
        assert (again.fence, again.attempts) == (lease.fence + 2, 1)


def test_a_completed_document_can_be_processed_again(
    editor: Client, viewer: Client, shelf: Library, workspace: UUID, database: Database
) -> None:
    document = shelf.add_processed(workspace, "a.txt", "A note about the harbour.")
    page = f"/documents/{document}"
    assert editor.get(f"/api/v1{page}").json()["state"]["again"] == "Process again"
    form = f'action="{page}/reprocess"'
    assert form in editor.get(page).text
    assert form not in viewer.get(page).text
    answers = [editor.call("POST", f"/api/v1{page}/reprocess").json() for _ in range(2)]
    assert answers[0] == answers[1] == {"success": True, "jobId": answers[0]["jobId"]}
    assert editor.get(f"/api/v1{page}").json()["state"]["again"] is None
    with database.transaction() as conn:
        assert conn.execute("SELECT id::text FROM jobs WHERE type = 'document'").fetchall() == [
            {"id": answers[0]["jobId"]}
        ]
    response = editor.post(f"{page}/reprocess", back="//evil.example")
    assert response.headers["location"] == page
    assert "Document queued again." in _follow(editor, response)
    assert form not in editor.get(page).text


def _follow(person: Client, response: httpx.Response) -> str:
    """Return the page that a redirect leads to."""
    return person.get(response.headers["location"]).text


def test_delete_asks_for_confirmation_and_hides_the_document(editor: Client, shelf: Library, workspace: UUID) -> None:
    document = shelf.add_processed(workspace, "a.txt", "An unusual word: zugzwang.")
    assert "Delete this document?" in editor.get(f"/documents/{document}/delete").text
    assert editor.post(f"/documents/{document}/delete").headers["location"] == "/"
    assert "a.txt deleted." in editor.get("/").text
    assert editor.get(f"/documents/{document}").status_code == 404
    found = editor.get("/api/v1/search?q=zugzwang").json()
    assert (found["total"], found["hits"]) == (0, [])


def test_original_is_unchanged_and_sandboxed(editor: Client, shelf: Library, workspace: UUID) -> None:
    data = bytes(range(256)) * 2000
    document = shelf.add_document(workspace, 'Übergabe "final".html', data)
    response = editor.get(f"/documents/{document}/original")
    assert response.content == data
    assert response.headers["content-type"] == "application/octet-stream"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in response.headers["content-security-policy"]
    assert response.headers["content-disposition"] == (
        "attachment; filename=\"_bergabe _final_.html\"; filename*=UTF-8''%C3%9Cbergabe%20%22final%22.html"
    )


def test_file_name_cannot_inject_headers() -> None:
    assert "\r" not in disposition("a\r\nSet-Cookie: b=c.txt")
    assert disposition("a/b\\c%d.txt").startswith('attachment; filename="a_b_c_d.txt"')


def test_escapes_document_text_everywhere(editor: Client, shelf: Library, workspace: UUID) -> None:
    document = shelf.add_processed(workspace, HOSTILE, SCRIPT, title="<script>alert(3)</script>")
    paths = ("/", f"/documents/{document}?q=harbour", "/search?q=harbour", f"/documents/{document}/delete")
    for path in (*paths, f"/documents/{document}/row", "/search?q=%3Cscript%3Ealert(4)%3C/script%3E"):
        page = editor.get(path).text
        assert "<img src=x" not in page, path
        assert "<script>" not in page, path
    assert "&lt;img src=x onerror=alert(1)&gt;.txt" in editor.get("/").text
    shown = editor.get(f"/documents/{document}?q=harbour").text
    assert "&lt;script&gt;alert(&#39;<mark>harbour</mark>&#39;)&lt;/script&gt;" in shown
    snippet = editor.get("/search?q=harbour").text
    assert "<mark>harbour</mark>" in snippet
    assert "&lt;img src=x onerror=alert(2)" in snippet


def test_returns_text_by_page(editor: Client, shelf: Library, workspace: UUID) -> None:
    document = shelf.add_processed(workspace, "a.txt", "All of it.")
    answer = editor.get(f"/api/v1/documents/{document}/text").json()
    assert answer == {"documentId": str(document), "pages": [{"number": 1, "text": "All of it."}], "next": None}
    assert editor.get(f"/documents/{document}?page=2").status_code == 404
    assert editor.get(f"/documents/{document}?page=99999999999999999").status_code == 404
    assert editor.get(f"/documents/{document}?page=-1").status_code == 404


def test_returns_one_document(editor: Client, shelf: Library, workspace: UUID) -> None:
    document = shelf.add_processed(workspace, "a.txt", "text", title=None)
    answer = editor.get(f"/api/v1/documents/{document}").json()
    assert answer["state"]["name"] == "needs_classification"
    assert answer["state"]["action"] == "Retry classification"
    assert answer["attempts"] == []


def test_returns_text_as_markdown(editor: Client, shelf: Library, workspace: UUID, database: Database) -> None:
    document = shelf.add_processed(workspace, "a.txt", "Winches\nThey turn.")
    page = Page(1, "Winches\nThey turn.", blocks=pack_blocks([Block("heading", 0, 7, 2), Block("paragraph", 8, 18)]))
    with database.transaction() as conn:
        results.save_extracted(conn, document, workspace, ExtractedText((page,)))
    path = f"/api/v1/documents/{document}/text"
    assert editor.get(path).json()["pages"] == [{"number": 1, "text": "Winches\nThey turn."}]
    assert editor.get(f"{path}?format=markdown").json()["pages"] == [{"number": 1, "text": "## Winches\n\nThey turn."}]
    assert editor.get(f"{path}?format=sculpture").status_code == 400
