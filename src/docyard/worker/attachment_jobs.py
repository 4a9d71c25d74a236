"""Jobs that extract an attachment from a document and receive it like an upload into the same folder."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from docyard.db import Connection
from docyard.errors import BadInput, NotFound, Reject
from docyard.intake import Arrival, receive
from docyard.model.documents import ContainedFile, Document, Receipt
from docyard.model.jobs import Lease
from docyard.pipeline.children.tasks import extract_member
from docyard.pipeline.run import Pipeline
from docyard.pipeline.storage.values import open_source
from docyard.pipeline.unlocked_copies import find_unlocked_key
from docyard.store import attachments, documents
from docyard.worker.settlements import JobResult

_CHUNK_BYTES = 1 << 20


def receive_child(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> JobResult:
    """Receive one attachment as a document; a retry recognises the document of an earlier attempt."""
    del lost  # the worker aborts the child call if the lease is lost
    member = str(lease.payload.get("member", ""))
    with pipeline.db.transaction() as conn:
        parent = _load_parent(conn, lease)
        attachment = attachments.get_attachment(conn, parent.id, member) if parent else None
        unlocked = find_unlocked_key(conn, parent) if parent else None
    if parent is None or attachment is None or attachment.child_id:
        return JobResult()
    try:
        receipt = _receive(pipeline, lease, parent, attachment, unlocked)
    except (Reject, BadInput) as refusal:
        reason = str(refusal)
        return JobResult(lambda conn: attachments.refuse_child(conn, parent.id, member, reason))
    return JobResult(lambda conn: attachments.link_child(conn, parent.id, member, receipt.document_id))


def _load_parent(conn: Connection, lease: Lease) -> Document | None:
    try:
        return documents.get_document(conn, lease.document_id) if lease.document_id else None
    except NotFound:
        return None


def _receive(
    pipeline: Pipeline, lease: Lease, parent: Document, attachment: ContainedFile, unlocked: str | None
) -> Receipt:
    """Extract the attachment to a temporary file and receive it, without loading all of it into memory."""
    limits = pipeline.limits
    with tempfile.TemporaryDirectory(prefix="docyard-child-") as folder:
        target = Path(folder) / "member"
        with open_source(pipeline.blobs, parent, unlocked) as source:
            pipeline.children.call(
                extract_member,
                source.unlocked or source.path,
                parent.media_type or "",
                attachment.member,
                target,
                limits,
                seconds=limits.stage_seconds,
                key=lease.job_id,
            )
        return receive(pipeline.db, pipeline.blobs, limits, _make_arrival(parent, attachment), _read_chunks(target))


def _make_arrival(parent: Document, attachment: ContainedFile) -> Arrival:
    return Arrival(
        workspace_id=parent.workspace_id,
        name=attachment.name,
        source="child",
        tier=parent.tier,
        priority=parent.priority,
        tags=parent.tags,
        parent_id=parent.id,
        depth=parent.depth + 1,
        folder_id=parent.folder_id,
    )


def _read_chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(partial(file.read, _CHUNK_BYTES), b"")
