"""What a stage found inside a document: kept within the family's limits, and queued to be taken out."""

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
from docyard.model.values import Attachment, Extracted
from docyard.store import attachments

RECEIVE_CHILD = "receive_child"


def within_family(conn: Connection, document: Document, value: StageValue, limits: Limits) -> StageValue:
    """The value, its attachments cut to what one upload may bring in all; archives in archives multiply."""
    if not isinstance(value, Extracted) or not value.attachments:
        return value
    attachments.lock_family(conn, attachments.family_size(conn, document.id).root_id)
    family = attachments.family_size(conn, document.id)
    sizes = accumulate(each.size for each in value.attachments)
    admitted = tuple(
        each
        for place, (each, size) in enumerate(zip(value.attachments, sizes, strict=True), start=1)
        if family.documents + place <= limits.family_documents and family.bytes + size <= limits.family_bytes
    )
    named = tuple(replace(each, name=clean_name(each.name, limits.name_bytes)) for each in admitted)
    if len(admitted) == len(value.attachments):
        return replace(value, attachments=named)
    left = len(value.attachments) - len(admitted)
    note = f"{left:,} files inside it were not taken out: too much came with the same upload."
    return replace(value, attachments=named, notes=(*value.notes, note))


def keep_attachments(conn: Connection, lease: Lease, document: Document, found: Sequence[Attachment]) -> None:
    """Note what was found, and queue a job for each that has not become a document."""
    attachments.save_attachments(conn, document, found)
    waiting = attachments.waiting_members(conn, document.id) if found else []
    if waiting:
        queue.enqueue(conn, [_job(document, lease, member) for member in waiting])


def _job(document: Document, lease: Lease, member: str) -> NewJob:
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
