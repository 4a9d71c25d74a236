"""Attachments found inside a document: limits per upload, and the jobs that extract them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from docyard import queue
from docyard.db import Connection
from docyard.model.documents import Document
from docyard.model.jobs import Lease, NewJob
from docyard.model.limits import Limits
from docyard.model.names import clean_name
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import Attachment, ExtractedText
from docyard.store import attachments

RECEIVE_CHILD = "receive_child"


def limit_attachments(conn: Connection, document: Document, value: StageValue, limits: Limits) -> StageValue:
    """Return the value with clean attachment names, and without attachments beyond the family's limits.

    A note states how many were left out. A family is an upload and all documents extracted from it. It is
    locked, so that nested archives processed in parallel cannot exceed the limits together.
    """
    if not isinstance(value, ExtractedText) or not value.attachments:
        return value
    attachments.lock_family(conn, attachments.family_size(conn, document.id).root_id)
    family = attachments.family_size(conn, document.id)
    total_sizes = accumulate(each.size for each in value.attachments)
    admitted = tuple(
        each
        for count, (each, size) in enumerate(zip(value.attachments, total_sizes, strict=True), start=1)
        if family.documents + count <= limits.family_documents and family.bytes + size <= limits.family_bytes
    )
    renamed = tuple(replace(each, name=clean_name(each.name, limits.name_bytes)) for each in admitted)
    if len(admitted) == len(value.attachments):
        return replace(value, attachments=renamed)
    omitted = len(value.attachments) - len(admitted)
    note = (
        "Attachments that were not extracted because the upload exceeds the limit on the number or total "
        f"size of its files: {omitted:,}."
    )
    return replace(value, attachments=renamed, notes=(*value.notes, note))


def queue_attachments(conn: Connection, lease: Lease, document: Document, found: Sequence[Attachment]) -> None:
    """Save the list of attachments, and queue a job for each that is still to be extracted."""
    attachments.save_attachments(conn, document, found)
    if found:
        queue.discard_superseded(conn, [document.id], RECEIVE_CHILD)
    pending = attachments.list_open_members(conn, document.id) if found else []
    if pending:
        queue.enqueue(conn, [_make_job(document, lease, member) for member in pending])


def record_failed_extraction(conn: Connection, lease: Lease) -> None:
    """Save the reason with the attachment if the job of this lease extracted it and is now a dead letter."""
    if lease.type == RECEIVE_CHILD:
        # By id: the lease of a job that was taken over has no payload.
        attachments.refuse_failed_child(conn, lease.job_id)


def _make_job(document: Document, lease: Lease, member: str) -> NewJob:
    return NewJob(
        workspace_id=document.workspace_id,
        pool=RECEIVE_CHILD,
        type=RECEIVE_CHILD,
        document_id=document.id,
        tier=document.tier,
        priority=document.priority,
        payload={"member": member},
        dedupe_key=f"child:{document.id}:{member}",
        arrived_at=lease.arrived_at,
    )
