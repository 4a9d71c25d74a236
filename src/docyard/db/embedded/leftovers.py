"""What a killed guardian or postmaster may leave behind, cleared away before the next start."""

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


def cluster_name(data: Path) -> str:
    """Every process of this cluster shows it in its command line, readable without any right."""
    return f"docyard-{hashlib.sha256(str(data).encode()).hexdigest()[:12]}"


def clear_the_way(data: Path) -> None:
    """Only the holder of guardian.lock may call this: it ends whatever still runs on the data folder."""
    pid = recorded_pid(data)
    if pid is not None and pid in _processes_of(data):
        log.warn("embedded.postmaster_left_behind", pid=pid)
        _end(data, [pid], signal.SIGINT, seconds=60) or _end(data, [pid], signal.SIGQUIT, seconds=10)
    strays = _processes_of(data)
    if strays:
        # Their postmaster is dead; one that is computing would hold the shared memory until it is done.
        log.warn("embedded.strays", pids=sorted(strays))
        _end(data, strays, signal.SIGQUIT, seconds=3) or _end(data, strays, signal.SIGKILL, seconds=10)
    if _processes_of(data):
        raise EmbeddedServerError(
            f"Processes of an earlier PostgreSQL still run on {data} and cannot be ended."
        )
    _name_ourselves(data)


def recorded_pid(data: Path) -> int | None:
    lines = (read_text(data / "postmaster.pid") or "").splitlines()
    return int(lines[0]) if lines and lines[0].isdigit() else None


def _name_ourselves(data: Path) -> None:
    """Put our pid into a stale postmaster.pid instead of removing it.

    PostgreSQL refuses to start while the pid in it exists, even when it now belongs to another program, but
    lets its parent's pid pass; the rest of the file lets it find and check the old shared memory.
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
    return wait_until(lambda: not _processes_of(data), seconds, every=0.1)


def _processes_of(data: Path) -> set[int]:
    """The postmaster, by its arguments, and its children, by the title they give themselves."""
    name = cluster_name(data)
    marks = (f"/postgres -D {data} ", f"cluster_name={name}")
    return {
        pid
        for pid, line in _command_lines()
        if line.startswith(f"postgres: {name}:") or all(mark in line for mark in marks)
    }


def _command_lines() -> Iterator[tuple[int, str]]:
    return _from_proc() if sys.platform == "linux" else _from_ps()


def _from_ps() -> Iterator[tuple[int, str]]:
    listed = subprocess.run(["/bin/ps", "-axo", "pid=,command="], capture_output=True, text=True, check=True)
    for line in listed.stdout.splitlines():
        pid, _, command = line.strip().partition(" ")
        yield int(pid), command.strip()


def _from_proc() -> Iterator[tuple[int, str]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            yield int(entry.name), line.replace(b"\0", b" ").decode(errors="replace")
