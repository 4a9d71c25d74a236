"""A pool of two children for each test, closed afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from docyard.model.limits import MEGABYTE, Limits
from docyard.pipeline.children import ChildPool


@pytest.fixture
def limits() -> Limits:
    return replace(Limits(), child_memory_bytes=256 * MEGABYTE, child_documents=1000)


@pytest.fixture
def pool(limits: Limits) -> Iterator[ChildPool]:
    with ChildPool(2, limits) as pool:
        yield pool
