"""What a child gives up before it reads the first file: memory, time, files, network, and its own will."""

from __future__ import annotations

import ctypes
import math
import os
import resource
import signal
import sys
import time
from pathlib import Path

MARGIN_SECONDS = 5  # the parent's clock should end a task first, because its message is clearer
_LARGEST_FILE = 1 << 30
_MOST_OPEN_FILES = 256
_CLONE_NEWUSER, _CLONE_NEWNET = 0x1000_0000, 0x4000_0000
# M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD, M_ARENA_MAX of glibc's mallopt; other libraries refuse them
# politely. A heap for each thread would reserve 300 MB of what a child may take, and use next to none of it.
_HEAP = ((-1, 64 << 20), (-2, 1 << 20), (-3, 32 << 20), (-8, 1))
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38


def confine(parent: int, memory_bytes: int) -> None:
    """Give up all that reading a file does not need; `parent` is the process that must outlive this one."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the parent alone decides when a child ends
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        _leave_network(libc)
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        # Last of these, because a change of credentials clears it.
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)  # it died before the signal was asked for
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, _LARGEST_FILE)
    _limit(resource.RLIMIT_NOFILE, _MOST_OPEN_FILES)
    _limit(resource.RLIMIT_AS, memory_bytes + _own_bytes())


def set_up_heap() -> None:
    """Let the C library keep some of what is freed, which the next page would ask for again, in one heap."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        for kind, size in _HEAP if hasattr(libc, "mallopt") else ():
            libc.mallopt(kind, size)


def limit_cpu(seconds: float) -> None:
    """Allow this many more seconds of computing; SIGXCPU ends the process after them."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = math.ceil(time.process_time() + seconds) + MARGIN_SECONDS
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _limit(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (allowed, allowed))


def _own_bytes() -> int:
    """The address space the interpreter itself takes, which is not the document's fault."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return 256 * 1024 * 1024


def _leave_network(libc: ctypes.CDLL) -> None:
    """Move to a network of our own with nothing in it, where the system allows; never required.

    Root may do so directly, and must: in a user namespace it could no longer read other users' files.
    Everyone else needs a user namespace, in which they stay who they are.
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
        return  # the files stay readable all the same; only the shown names of users differ
