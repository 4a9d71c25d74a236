"""Scenes around the shared test server, or around a server of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from docyard.db import Database
from tests.chaos.scene import LEASE, Scene


@pytest.fixture
def scene(tmp_path: Path, database: Database, database_address: str, workspace: UUID) -> Iterator[Scene]:
    """Processes that share the test's database."""
    home = tmp_path / "home"
    home.mkdir()
    made = Scene(
        home,
        database,
        workspace,
        environ={"DOCYARD_DATABASE_URL": database_address, "DOCYARD_LEASE_SECONDS": str(LEASE)},
    )
    yield made
    made.end()
