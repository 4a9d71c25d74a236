"""Fixtures for tests of facts and entities."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Database
from tests.store.graph.mention_writer import Sayer


@pytest.fixture
def sayer(database: Database, workspace: UUID) -> Sayer:
    """Adds documents with mentions to the workspace."""
    return Sayer(database, workspace)
