"""Confinement of a child process: limits on memory, CPU time and files, and no network."""

from __future__ import annotations

import ctypes
import math
import os
import resource
import signal
import sys
import time
from pathlib import Path

MARGIN_SECONDS = 5  # extra CPU time, so that the parent's timeout, with its clearer message, comes first
_MAX_FILE_BYTES = 1 << 30
_MAX_OPEN_FILES = 256
_CLONE_NEWUSER, _CLONE_NEWNET = 0x1000_0000, 0x4000_0000
# M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD and M_ARENA_MAX of glibc's mallopt; other C libraries ignore
# them. All threads share one arena: separate arenas would reserve 300 MB of the limited address space.
_HEAP = ((-1, 64 << 20), (-2, 1 << 20), (-3, 32 << 20), (-8, 1))
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38


def confine(parent: int, memory_bytes: int) -> None:
    """Limit resources and ignore signals; on Linux, also drop network access and die with `parent`."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the parent alone decides when a child ends
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        _leave_network(libc)
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        # Must follow the other calls, because a change of credentials clears the setting.
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)  # the parent died before the death signal was set
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, _MAX_FILE_BYTES)
    _limit(resource.RLIMIT_NOFILE, _MAX_OPEN_FILES)
    _limit(resource.RLIMIT_AS, memory_bytes + _read_own_bytes())


def set_up_heap() -> None:
    """Use a single malloc arena, and keep some freed memory for the next page."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        for kind, size in _HEAP if hasattr(libc, "mallopt") else ():
            libc.mallopt(kind, size)


def limit_cpu(seconds: float) -> None:
    """Allow this many more seconds of CPU time plus a margin; after that SIGXCPU ends the process."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = math.ceil(time.process_time() + seconds) + MARGIN_SECONDS
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _limit(kind: int, limit: int) -> None:
    _, hard = resource.getrlimit(kind)
    allowed = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(kind, (allowed, allowed))


def _read_own_bytes() -> int:
    """Return the current size of the address space in bytes, or 256 MB on systems without /proc."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return 256 * 1024 * 1024


def _leave_network(libc: ctypes.CDLL) -> None:
    """Move to an empty network namespace; keep network access if the system does not allow it.

    Root stays in its user namespace, because in a new one it could not read other users' files. Other users
    need a new user namespace, in which they keep their ids.
    """
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0:
        libc.unshare(_CLONE_NEWNET)
    elif libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) == 0:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{uid} {uid} 1")
        _write("/proc/self/gid_map", f"{gid} {gid} 1")


def _write(path: str, line: str) -> None:
    try:
        Path(path).write_text(line)
    except OSError:
        return  # files remain readable without the mapping; only the displayed owners differ
