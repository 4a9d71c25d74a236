"""Fixtures for search tests."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Database
from tests.search.library import Library


@pytest.fixture
def library(database: Database, web_database: Database, workspace: UUID) -> Library:
    """An empty workspace to search."""
    return Library(database, web_database, workspace)
