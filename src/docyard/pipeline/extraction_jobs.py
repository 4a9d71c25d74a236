"""Extraction jobs, which other programs queue; each job waits until its documents are fully processed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from docyard import log, queue
from docyard.db import Connection
from docyard.errors import BadInput, NotFound, Reject, Wait
from docyard.ids import parse_id
from docyard.model import timeouts
from docyard.model.documents import Document
from docyard.model.failures import get_category
from docyard.model.jobs import Completion, Lease, NewJob
from docyard.pipeline.reruns import FROM_EXTRACT, redo_stages, retry_document
from docyard.pipeline.run import Pipeline
from docyard.pipeline.stage_order import find_next_stage, make_stage_job
from docyard.pipeline.unlocked_copies import require_source
from docyard.stages import STAGES
from docyard.store import documents, results

_RECHECK_SECONDS = 30.0
_Prepare = Callable[[Connection, Document], None]


def ingest(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> None:
    """Let the job wait for its documents; retry those that failed with a retryable category."""
    del lost  # only short transactions run here
    _process(pipeline, lease, _retry_failed)


def repeat_extraction(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> None:
    """Queue `extract` and all later stages of the job's documents again, and let the job wait for them."""
    del lost
    if lease.children == 0:
        _require_sources(pipeline, lease)
    _process(pipeline, lease, lambda conn, document: redo_stages(conn, document, FROM_EXTRACT))


# `email_embedding` does not wait for the document's embedding job, which runs after the stages.
HANDLERS = {"attachment_ingestion": ingest, "email_embedding": ingest, "document_ocr": repeat_extraction}


class _OwnershipLost(Exception):
    """The lease of the job was lost, so the transaction must be rolled back."""


def _process(pipeline: Pipeline, lease: Lease, prepare: _Prepare) -> None:
    try:
        with pipeline.db.transaction() as conn:
            _wait_or_end(conn, lease, prepare)
    except _OwnershipLost:
        with pipeline.db.transaction() as conn:
            queue.count_rejected(conn, [lease])
        log.warn("late_result_refused", job=lease.job_id, fence=lease.fence, worker=lease.worker_id)


def _wait_or_end(conn: Connection, lease: Lease, prepare: _Prepare) -> None:
    """Make the job wait for its unfinished documents; if there are none, settle it."""
    found = _lock_documents(conn, _find_documents(conn, lease))
    if lease.children == 0:
        found = _prepare_documents(conn, found, prepare)
    unfinished = [document for document in found if document.completed_at is None]
    if unfinished:
        jobs = [_make_job(conn, document) for document in unfinished]
        accepted = queue.wait_for_children(conn, lease, jobs, seconds=timeouts.CHILDREN)
    else:
        accepted = lease.job_id in queue.settle(conn, [_make_outcome(lease, found)])
    if not accepted:
        raise _OwnershipLost
    if unfinished and not queue.count_live_children(conn, lease.job_id):
        raise Wait("timeout", "Another job is waiting for the same document.", _RECHECK_SECONDS)


def _require_sources(pipeline: Pipeline, lease: Lease) -> None:
    """Raise Reject if the stored file of a document is missing, so that its results are not discarded."""
    with pipeline.db.transaction() as conn:
        found = _find_documents(conn, lease)
    for document_id in found:
        try:
            require_source(pipeline.db, pipeline.blobs, document_id)
        except BadInput as error:
            raise Reject("not_found", str(error)) from error
        except NotFound:
            continue  # deleted


def _find_documents(conn: Connection, lease: Lease) -> list[UUID]:
    """Return the ids of the job's documents, found by its document_id, its payload or its external entity."""
    if lease.document_id is not None:
        return [lease.document_id]
    for name in ("document_id", "source_document_uuid"):
        if lease.payload.get(name) is not None:
            return [_check_id(conn, lease, name, lease.payload[name])]
    entity = queue.get_external_entity(conn, lease.job_id)
    found = documents.list_attached_documents(conn, lease.workspace_id, *entity) if entity else []
    if not found and not lease.children:
        raise Reject("not_found", _explain_no_documents(entity))
    return found


def _check_id(conn: Connection, lease: Lease, name: str, value: object) -> UUID:
    document_id = parse_id(value) if isinstance(value, str) else None
    if document_id is None:
        raise Reject("not_found", f"{name} is not the id of a document: {str(value)[:100]!r}.")
    if not lease.children and not _is_in_workspace(conn, lease, document_id):
        raise Reject("not_found", f"There is no document {document_id} in this workspace.")
    return document_id


def _is_in_workspace(conn: Connection, lease: Lease, document_id: UUID) -> bool:
    try:
        return documents.get_document(conn, document_id).workspace_id == lease.workspace_id
    except NotFound:
        return False


def _explain_no_documents(entity: tuple[str, str] | None) -> str:
    if entity is None:
        return "The job has no document: set document_id in its payload, or its entity_type and entity_id."
    return f"No document is attached to {entity[0][:100]} {entity[1][:100]}."


def _lock_documents(conn: Connection, ids: Sequence[UUID]) -> list[Document]:
    """Lock the documents and their jobs, and return the documents that still exist."""
    found = []
    for document_id in sorted(ids):
        queue.lock_document(conn, document_id)
        try:
            found.append(documents.get_document(conn, document_id))
        except NotFound:
            continue
    return found


def _prepare_documents(conn: Connection, found: Sequence[Document], prepare: _Prepare) -> list[Document]:
    if not found:
        raise Reject("not_found", "The document was deleted.")
    for document in found:
        prepare(conn, document)
    return [documents.get_document(conn, document.id) for document in found]


def _retry_failed(conn: Connection, document: Document) -> None:
    if document.status == "failed" and get_category(document.reason_category or "").retry:
        retry_document(conn, document.id)


def _make_job(conn: Connection, document: Document) -> NewJob:
    stage = find_next_stage(conn, document, results.load_stage_results(conn, document.id))
    return make_stage_job(conn, document, stage or STAGES[0])


def _make_outcome(lease: Lease, found: Sequence[Document]) -> Completion:
    incomplete = [document for document in found if document.status != "completed"]
    failed = max(len(incomplete), lease.children_failed)
    if not failed:
        return Completion(lease)
    reasons = "; ".join(f"{document.name}: {document.reason or document.status}" for document in incomplete[:5])
    summary = f"{failed} of {max(len(found), lease.children)} documents were not processed to the end"
    kind = next((document.reason_category for document in incomplete if document.reason_category), "not_found")
    return Completion(lease, "degraded", kind, f"{summary}{': ' + reasons if reasons else '.'}"[:2000])
