"""Two workspaces with a row in every table, and someone in one of them who speaks SQL as the web role."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Database
from tests.db.access.town import Town


@pytest.fixture
def town(database: Database, web_database: Database, workspace: UUID, other_workspace: UUID) -> Town:
    """Mine and theirs."""
    return Town(database, web_database, workspace, other_workspace)
