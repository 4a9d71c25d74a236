"""What the errors of the operating system mean for the blob store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from docyard.errors import StorageFull, StoreUnavailable, is_disk_full


@contextmanager
def explain_errors() -> Iterator[None]:
    """Raise StorageFull or StoreUnavailable instead of an OSError."""
    try:
        yield
    except OSError as error:
        if is_disk_full(error):
            raise StorageFull from error
        raise StoreUnavailable(f"The file store is not available: {error.strerror or error}.") from error


@contextmanager
def explain_full_disk() -> Iterator[None]:
    """Raise StorageFull instead of an OSError that reports a full disk or an exceeded quota."""
    try:
        yield
    except OSError as error:
        if is_disk_full(error):
            raise StorageFull from error
        raise
