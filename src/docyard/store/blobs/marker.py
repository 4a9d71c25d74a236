"""The marker of a blob store: a file with the store's id, which an unmounted or another store does not have."""

from __future__ import annotations

import os
from uuid import UUID

NAME = "docyard-store"  # not hidden, so that copies made with `*` include it


def read_marker(root: int) -> UUID | None:
    """Return the id in the marker of the folder `root`, a descriptor, or None if the marker is missing or damaged."""
    try:
        handle = os.open(NAME, os.O_RDONLY, dir_fd=root)
    except FileNotFoundError:
        return None
    with os.fdopen(handle, "rb") as file:
        text = file.read(100)
    try:
        return UUID(text.decode().strip())
    except ValueError:
        return None


def write_marker(root: int, store_id: UUID) -> None:
    """Write the marker and sync it to disk."""
    draft = f"{NAME}.new"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644, dir_fd=root)
    with os.fdopen(handle, "wb") as file:
        file.write(f"{store_id}\n".encode())
        file.flush()
        os.fsync(file.fileno())
    os.rename(draft, NAME, src_dir_fd=root, dst_dir_fd=root)
    os.fsync(root)
