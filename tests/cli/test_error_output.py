"""Errors that commands print: nothing of the database driver."""

from __future__ import annotations

import json
import subprocess
import sys

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
