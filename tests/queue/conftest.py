"""The queue without embedding behind it."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _quickly(quick_commits: None, road_alone: None) -> None:
    """None of these tests pulls the plug, and all of them count jobs."""
