"""The blob store: originals and renditions under their hashes; file names are never used as paths or keys."""

from docyard.store.blobs.folder import FolderBlobs, IncomingBlob

__all__ = ["FolderBlobs", "IncomingBlob"]
