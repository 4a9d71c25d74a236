"""Fixtures for tests of facts and entities."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Database
from tests.store.graph.mention_writer import MentionWriter


@pytest.fixture
def writer(database: Database, workspace: UUID) -> MentionWriter:
    """A writer of documents with mentions in the workspace."""
    return MentionWriter(database, workspace)
