"""File locks (flock), which the kernel releases when their holder ends."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


def open_lock(path: Path) -> int:
    """Open a lock file, creating it if needed; programs started by exec do not inherit the descriptor."""
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def try_shared(lock: int) -> bool:
    """Try to take a shared lock; return whether it was taken."""
    return _try_lock(lock, fcntl.LOCK_SH)


def try_exclusive(lock: int) -> bool:
    """Try to take an exclusive lock; return whether it was taken."""
    return _try_lock(lock, fcntl.LOCK_EX)


def unlock(lock: int) -> None:
    """Release a lock, even if a forked child has a copy of its descriptor."""
    fcntl.flock(lock, fcntl.LOCK_UN)


def is_same_file(lock: int, path: Path) -> bool:
    """Return whether the open lock is still the file at `path`; False if its folder was moved or removed."""
    try:
        return os.path.samestat(os.fstat(lock), path.stat())
    except FileNotFoundError:
        return False


def is_locked(path: Path) -> bool:
    """Return whether a process holds the lock exclusively; the test takes a shared lock for a moment."""
    try:
        lock = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        return not try_shared(lock)
    finally:
        os.close(lock)


def _try_lock(lock: int, kind: int) -> bool:
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
