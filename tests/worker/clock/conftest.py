"""Fixtures for tests that set the clock of the database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import create_template, find_memory_folder, open_folder
from tests.worker.clock.stepped_server import SteppedServer, run_stepped_server


@pytest.fixture(scope="session")
def stepped_server() -> Iterator[SteppedServer]:
    """A server whose clock can be set."""
    with open_folder(find_memory_folder()) as home, run_stepped_server(home.parent) as server:
        yield server


@pytest.fixture(scope="session")
def template(stepped_server: SteppedServer) -> str:
    """An installed database on the server whose clock can be set."""
    return create_template(stepped_server)


@pytest.fixture
def server(stepped_server: SteppedServer) -> SteppedServer:
    """The server of the test, whose clock is right at the start."""
    stepped_server.set_clock(0)
    return stepped_server
