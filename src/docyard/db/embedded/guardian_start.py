"""Start of a detached guardian."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from docyard.db.embedded.errors import EmbeddedServerError
from docyard.db.embedded.layout import Layout, read_last_lines, rotate_log
from docyard.db.embedded.locks import is_locked

_GUARDIAN = "docyard.db.embedded.guardian"
# The folder that contains the package docyard, which need not be installed.
_PACKAGE_ROOT = Path(__file__).resolve().parents[3]
_SUCCESS_CODES = (0, 3)  # the guardian took the lock, or another one already had it


def ensure_guardian(layout: Layout) -> None:
    """Start a guardian unless one is running; return when a guardian has taken the lock."""
    if is_locked(layout.guardian_lock):
        return
    rotate_log(layout.guardian_log, limit=1_000_000)
    with os.fdopen(os.open(layout.guardian_log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as log:
        done = subprocess.run(
            [sys.executable, "-P", "-m", _GUARDIAN, str(layout.home)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=_make_environment(),
            start_new_session=True,
            check=False,
        )
    if done.returncode not in _SUCCESS_CODES:
        raise EmbeddedServerError(
            "The guardian of the embedded PostgreSQL did not start."
            f" Last lines of {layout.guardian_log}:\n{read_last_lines(layout.guardian_log)}"
        )


def _make_environment() -> dict[str, str]:
    # The guardian runs in the folder /, so relative entries are made absolute.
    entries = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    paths = [str(_PACKAGE_ROOT), *(str(Path(entry).absolute()) for entry in entries)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
