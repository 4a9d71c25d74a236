"""Fixtures of the queue's tests."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _speed_up(quick_commits: None, without_embedding: None) -> None:
    """Disable embedding jobs, because the tests count jobs, and commit asynchronously for speed."""
