"""The blob store: originals and renditions, stored under their hashes and never under file names."""

from docyard.store.blobs.folder import FolderBlobs
from docyard.store.blobs.folder_errors import explain_full_disk
from docyard.store.blobs.incoming_blob import IncomingBlob
from docyard.store.blobs.store_id import find_store_id, open_store

__all__ = ["FolderBlobs", "IncomingBlob", "explain_full_disk", "find_store_id", "open_store"]
