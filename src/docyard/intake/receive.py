"""Intake of a file: streaming, size limit, hashing, durable storage and detection of duplicates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from docyard import log
from docyard.db import Connection, Database
from docyard.errors import TooLarge
from docyard.model.documents import NewDocument, Receipt
from docyard.model.limits import MEGABYTE, Limits
from docyard.model.names import clean_name, normalise_folder_name
from docyard.model.tiers import DEFAULT_PRIORITY, Tier
from docyard.store.blobs import FolderBlobs
from docyard.store.documents import insert_document
from docyard.store.folders import ensure_folder


@dataclass(frozen=True, slots=True)
class Arrival:
    """The properties of a file that are known before its content is received."""

    workspace_id: UUID
    name: str
    source: str
    tier: Tier = Tier.USER_UPLOAD
    priority: int = DEFAULT_PRIORITY
    tags: tuple[str, ...] = ()
    created_by: UUID | None = None
    parent_id: UUID | None = None  # the document that contains this file
    depth: int = 0
    folder_name: str = ""  # created if it does not exist; takes precedence over folder_id
    folder_id: UUID | None = None  # an existing folder


class IncomingFile:
    """A file being received; it is not visible before `finish` creates its document."""

    def __init__(self, blobs: FolderBlobs, limits: Limits, arrival: Arrival) -> None:
        self._blobs = blobs
        self._limits = limits
        self._arrival = arrival
        self._folder = normalise_folder_name(arrival.folder_name) if arrival.folder_name.strip() else ""
        self._blob = blobs.receive()

    def write(self, data: bytes) -> None:
        """Append the next bytes; raise TooLarge if the file exceeds the size limit."""
        if self._blob.size + len(data) > self._limits.upload_bytes:
            raise TooLarge(f"The file is larger than {self._limits.upload_bytes // MEGABYTE} MB.")
        self._blob.write(data)

    def finish(self, db: Database) -> Receipt:
        """Store the content, then create a document or find the existing one with the same content.

        A crash between the two steps leaves only an unused blob.
        """
        key = self._blobs.store(self._arrival.workspace_id, self._blob)
        with db.transaction(self._arrival.workspace_id) as conn:
            receipt = insert_document(conn, self._make_document(key, self._find_folder(conn)))
        log.event("document_received", document=receipt.document_id, name=receipt.name, duplicate=receipt.duplicate)
        return receipt

    def abandon(self) -> None:
        """Discard the content if it has not been stored; safe to call at any time."""
        self._blob.discard()

    def _find_folder(self, conn: Connection) -> UUID | None:
        if not self._folder:
            return self._arrival.folder_id
        return ensure_folder(conn, self._arrival.workspace_id, self._folder)[0]

    def _make_document(self, blob_key: str, folder_id: UUID | None) -> NewDocument:
        arrival = self._arrival
        return NewDocument(
            workspace_id=arrival.workspace_id,
            name=clean_name(arrival.name, self._limits.name_bytes),
            source=arrival.source,
            sha256=self._blob.sha256,
            size=self._blob.size,
            blob_key=blob_key,
            tier=arrival.tier,
            priority=arrival.priority,
            tags=arrival.tags,
            created_by=arrival.created_by,
            parent_id=arrival.parent_id,
            depth=arrival.depth,
            folder_id=folder_id,
        )


def receive(db: Database, blobs: FolderBlobs, limits: Limits, arrival: Arrival, chunks: Iterable[bytes]) -> Receipt:
    """Receive one file as chunks of its content and return the receipt."""
    incoming = IncomingFile(blobs, limits, arrival)
    try:
        for chunk in chunks:
            incoming.write(chunk)
        return incoming.finish(db)
    finally:
        incoming.abandon()
