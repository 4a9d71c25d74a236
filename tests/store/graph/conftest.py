"""A workspace in which documents say something."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Database
from tests.store.graph.saying import Sayer


@pytest.fixture
def sayer(database: Database, workspace: UUID) -> Sayer:
    """Somebody who puts documents in."""
    return Sayer(database, workspace)
