"""Fixtures of the access tests."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Database
from tests.db.access.tenant_rows import TwoTenants


@pytest.fixture
def tenants(database: Database, web_database: Database, workspace: UUID, other_workspace: UUID) -> TwoTenants:
    """Two workspaces with rows in every table that the web role reads."""
    return TwoTenants(database, web_database, workspace, other_workspace)
