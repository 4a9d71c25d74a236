"""A very small disk: a tmpfs that a process of its own has mounted, so that no test needs the rights of root."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_MOUNT = 'mount -t tmpfs -o size="$1" tmpfs "$2" && echo mounted && exec cat'


@contextmanager
def mount_small_disk(mount_point: Path, kilobytes: int) -> Iterator[Path]:
    """Mount a disk of this size in a new namespace, and yield a path to it that works outside of it."""
    mount_point.mkdir()
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", _MOUNT, "sh", f"{kilobytes}k", str(mount_point)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        try:
            assert holder.stdout.readline() == b"mounted\n"
            yield Path(f"/proc/{holder.pid}/root{mount_point}")
        finally:
            holder.stdin.close()  # ends the process, and with it the mount


def fill_disk(disk: Path) -> Path:
    """Fill a disk with one file, and return the file."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for _ in iter(lambda: shutil.disk_usage(disk).free, 0):
            file.write(b"x" * 4096)
    return filler
