"""Entry jobs: they come from outside and see their documents to the end of the road."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from docyard import log, queue
from docyard.db import Connection
from docyard.errors import NotFound, Reject, Wait
from docyard.ids import parse_id
from docyard.model import timeouts
from docyard.model.documents import Document
from docyard.model.failures import category
from docyard.model.jobs import Done, Lease, NewJob
from docyard.pipeline.reprocess import redo_stages, retry_document
from docyard.pipeline.road import stage_ahead, stage_job
from docyard.pipeline.run import Pipeline
from docyard.stages import STAGES
from docyard.store import documents, results

_NAMES = [stage.name for stage in STAGES]
_FROM_EXTRACT = _NAMES[_NAMES.index("extract") :]
_LOOK_AGAIN_SECONDS = 30.0
_Prepare = Callable[[Connection, Document], None]


def ingest(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> None:
    """Let the documents travel their road, again where they failed but could succeed."""
    del lost  # nothing is computed here
    _see_to_the_end(pipeline, lease, _take_up_failed)


def read_again(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> None:
    """Do the extraction of the documents again, and everything after it."""
    del lost
    _see_to_the_end(pipeline, lease, lambda conn, document: redo_stages(conn, document, _FROM_EXTRACT))


# Embedding is not on the road yet; an e-mail travels it as far as it goes.
HANDLERS = {"attachment_ingestion": ingest, "email_embedding": ingest, "document_ocr": read_again}


class _OwnershipLost(Exception):
    """Somebody else has the job now; whatever was done for it is undone."""


def _see_to_the_end(pipeline: Pipeline, lease: Lease, prepare: _Prepare) -> None:
    try:
        with pipeline.db.transaction() as conn:
            _wait_or_end(conn, lease, prepare)
    except _OwnershipLost:
        with pipeline.db.transaction() as conn:
            queue.count_rejected(conn, [lease])
        log.warn("late_result_refused", job=lease.job_id, fence=lease.fence, worker=lease.worker_id)


def _wait_or_end(conn: Connection, lease: Lease, prepare: _Prepare) -> None:
    """Wait for the roads that are not at their end; when none is left, say how it went."""
    found = _locked(conn, _named(conn, lease))
    if lease.children == 0:
        found = _prepared(conn, found, prepare)
    under_way = [document for document in found if document.completed_at is None]
    if under_way:
        roads = [_road_job(conn, document) for document in under_way]
        accepted = queue.wait_for_children(conn, lease, roads, seconds=timeouts.CHILDREN)
    else:
        accepted = lease.job_id in queue.settle(conn, [_ended(lease, found)])
    if not accepted:
        raise _OwnershipLost
    if under_way and not queue.live_children(conn, lease.job_id):
        raise Wait("timeout", "Another job waits for the same document.", _LOOK_AGAIN_SECONDS)


def _named(conn: Connection, lease: Lease) -> list[UUID]:
    """The documents that a job concerns, in its own workspace."""
    if lease.document_id is not None:
        return [lease.document_id]
    for name in ("document_id", "source_document_uuid"):
        if lease.payload.get(name) is not None:
            return [_own(conn, lease, name, lease.payload[name])]
    entity = queue.entity_of(conn, lease.job_id)
    found = documents.attached_documents(conn, lease.workspace_id, *entity) if entity else []
    if not found and not lease.children:
        raise Reject("not_found", _nothing_named(entity))
    return found


def _own(conn: Connection, lease: Lease, name: str, given: object) -> UUID:
    document_id = parse_id(given) if isinstance(given, str) else None
    if document_id is None:
        raise Reject("not_found", f"{name} is not the id of a document: {str(given)[:100]!r}.")
    if not lease.children and not _is_own(conn, lease, document_id):
        raise Reject("not_found", f"There is no document {document_id} in this workspace.")
    return document_id


def _is_own(conn: Connection, lease: Lease, document_id: UUID) -> bool:
    try:
        return documents.get_document(conn, document_id).workspace_id == lease.workspace_id
    except NotFound:
        return False


def _nothing_named(entity: tuple[str, str] | None) -> str:
    if entity is None:
        return "The job names no document: give document_id in the payload, or entity_type and entity_id."
    return f"No document is attached to {entity[0][:100]} {entity[1][:100]}."


def _locked(conn: Connection, wanted: Sequence[UUID]) -> list[Document]:
    """These documents, kept as they are; those deleted meanwhile are left out."""
    found = []
    for document_id in sorted(wanted):
        queue.lock_document(conn, document_id)
        try:
            found.append(documents.get_document(conn, document_id))
        except NotFound:
            continue
    return found


def _prepared(conn: Connection, found: Sequence[Document], prepare: _Prepare) -> list[Document]:
    if not found:
        raise Reject("not_found", "The document was deleted.")
    for document in found:
        prepare(conn, document)
    return [documents.get_document(conn, document.id) for document in found]


def _take_up_failed(conn: Connection, document: Document) -> None:
    if document.status == "failed" and category(document.reason_category or "").retry:
        retry_document(conn, document.id)


def _road_job(conn: Connection, document: Document) -> NewJob:
    stage = stage_ahead(conn, document, results.stage_results(conn, document.id))
    return stage_job(conn, document, stage or STAGES[0])


def _ended(lease: Lease, found: Sequence[Document]) -> Done:
    unwell = [document for document in found if document.status != "completed"]
    failed = max(len(unwell), lease.children_failed)
    if not failed:
        return Done(lease)
    reasons = "; ".join(f"{document.name}: {document.reason or document.status}" for document in unwell[:5])
    words = f"{failed} of {max(len(found), lease.children)} documents did not get to the end of their road"
    kind = next((document.reason_category for document in unwell if document.reason_category), "not_found")
    return Done(lease, "degraded", kind, f"{words}{': ' + reasons if reasons else '.'}"[:2000])
