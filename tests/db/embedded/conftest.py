"""Fixture of the embedded server tests: a home whose remaining processes are killed after the test."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from docyard.db.embedded.guardian import BASE_VARIABLE
from tests.db.embedded.server_processes import Home


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A home, not yet created, in a folder that every account can enter, unlike those of pytest."""
    top = Path(tempfile.mkdtemp(prefix="docyard-embedded-"))
    top.chmod(0o755)
    made = Home(top / "home", top / "base")
    monkeypatch.setenv(BASE_VARIABLE, str(made.base))
    try:
        yield made
    finally:
        made.end()
        shutil.rmtree(top, ignore_errors=True)
