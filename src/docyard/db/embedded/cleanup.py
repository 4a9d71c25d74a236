"""Cleanup of processes and files that a killed guardian or postmaster left behind."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from docyard import log
from docyard.db.embedded.errors import EmbeddedServerError
from docyard.db.embedded.layout import read_text
from docyard.db.embedded.waits import wait_until


def make_cluster_name(data: Path) -> str:
    """Return the name that all processes of this cluster have in their command lines."""
    return f"docyard-{hashlib.sha256(str(data).encode()).hexdigest()[:12]}"


def end_old_processes(data: Path) -> None:
    """End all server processes of the data folder and repair its postmaster.pid.

    The caller must hold the guardian lock. Raise EmbeddedServerError if a process remains.
    """
    pid = read_postmaster_pid(data)
    if pid is not None and pid in _find_processes(data):
        log.warn("embedded.postmaster_left_behind", pid=pid)
        _end(data, [pid], signal.SIGINT, seconds=60) or _end(data, [pid], signal.SIGQUIT, seconds=10)
    strays = _find_processes(data)
    if strays:
        # Usually backends of a dead postmaster. They would keep the shared memory until their queries end.
        log.warn("embedded.strays", pids=sorted(strays))
        _end(data, strays, signal.SIGQUIT, seconds=3) or _end(data, strays, signal.SIGKILL, seconds=10)
    if remaining := _find_processes(data):
        pids = ", ".join(map(str, sorted(remaining)))
        raise EmbeddedServerError(
            f"Processes of an earlier PostgreSQL still use {data} and could not be ended (pid {pids})."
            " End them, then try again."
        )
    _replace_stale_pid(data)


def read_postmaster_pid(data: Path) -> int | None:
    """Return the pid in postmaster.pid, or None if the file is missing or contains no pid."""
    lines = (read_text(data / "postmaster.pid") or "").splitlines()
    return int(lines[0]) if lines and lines[0].isdigit() else None


def _replace_stale_pid(data: Path) -> None:
    """Write the pid of this process into a stale postmaster.pid, or remove the file if it is empty.

    PostgreSQL refuses to start if a process with the recorded pid exists, even if it is another program, but
    accepts the pid of its parent. The rest of the file is kept, because PostgreSQL uses it to find and check
    the old shared memory.
    """
    path = data / "postmaster.pid"
    text = read_text(path)
    if text is None:
        return
    if not text.strip():
        path.unlink()
        return
    with path.open("r+") as file:
        file.write("\n".join([str(os.getpid()), *text.splitlines()[1:]]) + "\n")
        file.truncate()


def _end(data: Path, pids: list[int] | set[int], number: signal.Signals, seconds: float) -> bool:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue
    return wait_until(lambda: not _find_processes(data), seconds, every=0.1)


def _find_processes(data: Path) -> set[int]:
    """Return the pids of the postmaster, found by its arguments, and its children, found by their titles."""
    name = make_cluster_name(data)
    arguments = (f"/postgres -D {data} ", f"cluster_name={name}")
    return {
        pid
        for pid, line in _list_command_lines()
        if line.startswith(f"postgres: {name}:") or all(argument in line for argument in arguments)
    }


def _list_command_lines() -> Iterator[tuple[int, str]]:
    return _read_proc() if sys.platform == "linux" else _run_ps()


def _run_ps() -> Iterator[tuple[int, str]]:
    listed = subprocess.run(["/bin/ps", "-axo", "pid=,command="], capture_output=True, text=True, check=True)
    for line in listed.stdout.splitlines():
        pid, _, command = line.strip().partition(" ")
        yield int(pid), command.strip()


def _read_proc() -> Iterator[tuple[int, str]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            yield int(entry.name), line.replace(b"\0", b" ").decode(errors="replace")
