"""The id of the installation's blob store: recorded in the database and in the marker of the store."""

from __future__ import annotations

from uuid import UUID, uuid4

from docyard.db import Connection, Queries
from docyard.errors import StoreUnavailable
from docyard.store.blobs.folder import FolderBlobs

_SQL = Queries("docyard.store.blobs", "store_id.sql")
_UNKNOWN = (
    "The file store is not available: its folder has none of the files that the database knows."
    " Is the share mounted, and is DOCYARD_HOME the right folder?"
)


def open_store(conn: Connection, blobs: FolderBlobs) -> FolderBlobs:
    """Return the store with the id that the database records; at the first use, record its id.

    The store is not checked otherwise: an unavailable store may come back later. Without a recorded id, raise
    StoreUnavailable if the store does not have the files that the database knows.
    """
    return blobs.with_id(find_store_id(conn) or _adopt(conn, blobs))


def find_store_id(conn: Connection) -> UUID | None:
    """Return the recorded id of the store, or None if no store was used yet."""
    row = conn.execute(_SQL["find_store_id"]).fetchone()
    return row["id"] if row else None


def _adopt(conn: Connection, blobs: FolderBlobs) -> UUID:
    """Record the id of a store that is new, or older than markers, and write its marker."""
    found = blobs.read_id()
    store_id = found or uuid4()
    if conn.execute(_SQL["save_store_id"], {"id": store_id}).fetchone() is None:
        return find_store_id(conn) or store_id  # another process was faster
    known = [row["key"] for row in conn.execute(_SQL["list_newest_keys"])]
    if known and not blobs.holds_any(known):
        raise StoreUnavailable(_UNKNOWN)
    if found is None:
        blobs.with_id(store_id).create()
    return store_id
