"""The blob store: originals and renditions, stored under their hashes and never under file names."""

from docyard.store.blobs.folder import FolderBlobs, IncomingBlob

__all__ = ["FolderBlobs", "IncomingBlob"]
