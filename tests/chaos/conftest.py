"""Installations for chaos tests, on the shared test server or with their own server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from docyard.db import Database
from docyard.db.embedded import EmbeddedServer
from docyard.pipeline.pools import install
from docyard.store.users import get_or_create_workspace
from tests.chaos.installation import LEASE, ChaosInstallation
from tests.conftest import open_folder
from tests.worker.clock.stepped_server import SteppedServer, run_stepped_server


@pytest.fixture
def scene(tmp_path: Path, database: Database, database_address: str, workspace: UUID) -> Iterator[ChaosInstallation]:
    """An installation that uses the test's database."""
    home = tmp_path / "home"
    home.mkdir()
    made = ChaosInstallation(
        home,
        database,
        workspace,
        environ={"DOCYARD_DATABASE_URL": database_address, "DOCYARD_LEASE_SECONDS": str(LEASE)},
    )
    yield made
    made.kill_processes()


@pytest.fixture
def own_scene() -> Iterator[ChaosInstallation]:
    """An installation with its own embedded server, which may be killed."""
    with open_folder() as home, EmbeddedServer.attach(home) as server:
        db = Database(server.conninfo, size=4)
        with db.connect() as conn:
            install(conn)
            workspace = get_or_create_workspace(conn, "Main")
        scene = ChaosInstallation(home, db, workspace)
        yield scene
        scene.kill_processes()
        db.close()


@pytest.fixture
def stepped_scene() -> Iterator[tuple[ChaosInstallation, SteppedServer]]:
    """An installation with an external server whose clock can be set, and that server."""
    with open_folder() as home, open_folder() as other, run_stepped_server(other.parent) as server:
        home.mkdir()
        db = Database(server.conninfo, size=6)
        with db.connect() as conn:
            install(conn)
            workspace = get_or_create_workspace(conn, "Main")
        scene = ChaosInstallation(home, db, workspace, environ={"DOCYARD_DATABASE_URL": server.conninfo()})
        yield scene, server
        scene.kill_processes()
