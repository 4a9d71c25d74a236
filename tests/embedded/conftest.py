"""Homes for real servers; whatever a test leaves running is ended by its pid."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from docyard.db.embedded import EmbeddedServer
from docyard.db.embedded.guardian import BASE_VARIABLE
from tests.embedded.outside import Home


@pytest.fixture
def empty_home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A home in which no server ever ran."""
    with _a_home() as made:
        monkeypatch.setenv(BASE_VARIABLE, str(made.base))
        yield made


@pytest.fixture(scope="session")
def finished_home() -> Iterator[Home]:
    """Made once, because initdb is the slowest step of most tests."""
    with _a_home() as made:
        EmbeddedServer.attach(made.path).close()
        made.stop()
        yield made


@pytest.fixture
def home(empty_home: Home, finished_home: Home) -> Home:
    """A home with a cluster whose server is down."""
    empty_home.layout.make_folder()
    shutil.copy2(finished_home.layout.password, empty_home.layout.password)
    # Unlike shutil, cp keeps the owner.
    subprocess.run(["cp", "-a", finished_home.data, empty_home.data], check=True)
    return empty_home


@contextlib.contextmanager
def _a_home() -> Iterator[Home]:
    """Every account may enter it; pytest's own folders are closed to others."""
    top = Path(tempfile.mkdtemp(prefix="docyard-embedded-"))
    top.chmod(0o755)
    made = Home(top / "home", top / "base")
    try:
        yield made
    finally:
        made.end()
        shutil.rmtree(top, ignore_errors=True)
