"""flock on small files; the kernel lets go when the holder dies, however it dies."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


def open_lock(path: Path) -> int:
    """A descriptor that children started by exec do not inherit."""
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def try_shared(lock: int) -> bool:
    return _try(lock, fcntl.LOCK_SH)


def try_exclusive(lock: int) -> bool:
    return _try(lock, fcntl.LOCK_EX)


def let_go(lock: int) -> None:
    fcntl.flock(lock, fcntl.LOCK_UN)


def is_lock_of(lock: int, path: Path) -> bool:
    """Whether this descriptor is still the file of that name; not when the folder was moved or removed."""
    try:
        return os.path.samestat(os.fstat(lock), path.stat())
    except FileNotFoundError:
        return False


def is_held(path: Path) -> bool:
    """Whether somebody holds it alone; asking takes it for an instant, which takers must bear."""
    try:
        lock = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        return not try_shared(lock)
    finally:
        os.close(lock)


def _try(lock: int, kind: int) -> bool:
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
