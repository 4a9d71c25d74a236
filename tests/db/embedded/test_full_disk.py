"""The embedded server on a full disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from docyard.db.embedded import layout

_SCRIPT = 'mount -t tmpfs -o size=128k tmpfs "$DOCYARD_HOME" && exec "$@"'


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", _SCRIPT, "sh", sys.executable, "-m", "docyard"]
    environ = {**os.environ, "DOCYARD_HOME": str(tmp_path)}
    done = subprocess.run([*command, "migrate"], env=environ, capture_output=True, check=False, text=True, timeout=50)
    assert done.returncode == 4
    assert done.stderr.splitlines() == [
        f"docyard: There is no space left for the database in {tmp_path}. Free some space, then try again."
    ]


def test_a_log_that_cannot_be_copied_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "server.log"
    log.write_text("x" * 100)
    monkeypatch.setattr(os, "fsync", _report_full_disk)
    layout.rotate_log(log, 10)
    assert log.read_text() == ""
    assert list(tmp_path.iterdir()) == [log]


def _report_full_disk(_: int) -> None:
    raise OSError(28, "No space left on device")
