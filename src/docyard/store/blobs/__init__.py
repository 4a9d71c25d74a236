"""Originals and renditions, addressed by their content; a file name never becomes a path or key."""

from docyard.store.blobs.folder import FolderBlobs, IncomingBlob

__all__ = ["FolderBlobs", "IncomingBlob"]
