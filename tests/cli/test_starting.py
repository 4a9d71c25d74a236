"""Commands start quickly: none loads readers that it does not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

_LOADED = "import sys, docyard.cli.{0}; print(*(name for name in sys.modules if name.startswith('docyard.')))"
_COMMANDS = ("people.sign_in", "documents.add", "documents.search", "facts.entity", "queue.queue")


@pytest.mark.parametrize(
    "command", ["people.sign_in", "documents.add", "documents.search", "facts.entity", "queue.queue"]
)
def test_a_command_loads_no_reader_of_facts(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LOADED.format(command)], check=True, capture_output=True, text=True
    )
    loaded = set(done.stdout.split())
    assert f"docyard.cli.{command}" in loaded
    assert not loaded & {"docyard.facts.fields", "docyard.facts.entities", "docyard.readers.pdf.reader"}
