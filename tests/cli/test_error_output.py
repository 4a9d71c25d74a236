"""Errors that commands print: one line with the next step, and nothing of the database driver."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from docyard.db import Database
from tests.cli.conftest import Shell

DRIVER_WARNING = """
import logging, sys
from docyard import log
log.configure(sys.argv[1], as_json=True)
logging.getLogger("psycopg.pool").warning("discarding closed connection: %s", "<Connection at 0x7f>")
"""


def _warn(level: str) -> str:
    command = [sys.executable, "-c", DRIVER_WARNING, level]
    return subprocess.run(command, check=True, capture_output=True, text=True).stderr


def test_warnings_of_the_database_driver_are_logged_at_level_debug_only() -> None:
    assert _warn("INFO") == ""
    entry = json.loads(_warn("DEBUG"))
    assert (entry["level"], entry["event"]) == ("debug", "driver_message")
    assert entry["message"] == "discarding closed connection: <Connection at 0x7f>"


def test_a_lock_of_another_program_is_reported_with_the_command_that_names_it(
    external_shell: Shell, database: Database, tmp_path: Path
) -> None:
    (tmp_path / "note.txt").write_text("The tide table")
    with database.transaction() as conn:
        conn.execute("LOCK TABLE documents IN ACCESS EXCLUSIVE MODE")
        output = external_shell.run("add", str(tmp_path / "note.txt"), code=4)
    assert output == (
        "docyard: Another program is changing this at the moment. To see which one, run: docyard doctor\n"
    )
