"""Starting a guardian that outlives whoever starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from docyard.db.embedded.errors import EmbeddedServerError
from docyard.db.embedded.layout import Layout, last_lines, trim_log
from docyard.db.embedded.locks import is_held

_GUARDIAN = "docyard.db.embedded.guardian"
# The folder that holds the package: the guardian must find it even when it is not installed.
_PACKAGE_ROOT = Path(__file__).resolve().parents[3]
_FINE = (0, 3)  # It took the lock, or another guardian was faster.


def ensure_guardian(layout: Layout) -> None:
    """Start a guardian unless there is one; on return somebody holds its lock or has just died."""
    if is_held(layout.guardian_lock):
        return
    trim_log(layout.guardian_log, limit=1_000_000)
    with os.fdopen(os.open(layout.guardian_log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as log:
        done = subprocess.run(
            [sys.executable, "-P", "-m", _GUARDIAN, str(layout.home)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=_environment(),
            start_new_session=True,
            check=False,
        )
    if done.returncode not in _FINE:
        raise EmbeddedServerError(
            f"The guardian of the embedded PostgreSQL did not start:\n{last_lines(layout.guardian_log)}"
        )


def _environment() -> dict[str, str]:
    # Relative entries would lose their meaning, because the guardian leaves the current folder.
    known = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    paths = [str(_PACKAGE_ROOT), *(str(Path(entry).absolute()) for entry in known)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
