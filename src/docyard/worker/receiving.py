"""Taking a file out of a document and receiving it, as if somebody had uploaded it beside its parent."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from docyard.db import Connection
from docyard.errors import BadInput, NotFound, Reject
from docyard.intake import Arrival, receive
from docyard.model.documents import Contained, Document, Receipt
from docyard.model.jobs import Lease
from docyard.pipeline.children.tasks import take_out
from docyard.pipeline.run import Pipeline
from docyard.pipeline.storage.values import open_source
from docyard.pipeline.unlock import unlocked_key
from docyard.store import attachments, documents
from docyard.worker.settlements import Finished

_PIECE = 1 << 20


def receive_child(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> Finished:
    """Receive one attachment; a second try finds the document of the first by its content."""
    del lost  # what runs in a child is given up by the worker
    member = str(lease.payload.get("member", ""))
    with pipeline.db.transaction() as conn:
        parent = _parent(conn, lease)
        attachment = attachments.get_attachment(conn, parent.id, member) if parent else None
        unlocked = unlocked_key(conn, parent) if parent else None
    if parent is None or attachment is None or attachment.child_id or attachment.reason:
        return Finished()
    try:
        receipt = _receive(pipeline, lease, parent, attachment, unlocked)
    except (Reject, BadInput) as refusal:
        reason = str(refusal)
        return Finished(lambda conn: attachments.refuse_child(conn, parent.id, member, reason))
    return Finished(lambda conn: attachments.link_child(conn, parent.id, member, receipt.document_id))


def _parent(conn: Connection, lease: Lease) -> Document | None:
    try:
        return documents.get_document(conn, lease.document_id) if lease.document_id else None
    except NotFound:
        return None


def _receive(
    pipeline: Pipeline, lease: Lease, parent: Document, attachment: Contained, unlocked: str | None
) -> Receipt:
    """The bytes go by way of a file: the worker must not hold what a document claims to contain."""
    limits = pipeline.limits
    with tempfile.TemporaryDirectory(prefix="docyard-child-") as folder:
        target = Path(folder) / "member"
        with open_source(pipeline.blobs, parent, unlocked) as source:
            pipeline.children.call(
                take_out,
                source.unlocked or source.path,
                parent.media_type or "",
                attachment.member,
                target,
                limits,
                seconds=limits.stage_seconds,
                key=lease.job_id,
            )
        return receive(pipeline.db, pipeline.blobs, limits, _arrival(parent, attachment), _pieces(target))


def _arrival(parent: Document, attachment: Contained) -> Arrival:
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


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(partial(file.read, _PIECE), b"")
