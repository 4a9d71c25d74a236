"""The pipeline of an installation; apart, because loading all its stages takes longer than most commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from docyard.cli.installation import Installation
from docyard.cli.secret import seal_of
from docyard.pipeline.children import ChildPool
from docyard.pipeline.run import Pipeline


@contextmanager
def pipeline_of(installation: Installation, slots: int) -> Iterator[Pipeline]:
    """The pipeline with its pool of confined children."""
    children = ChildPool(slots, installation.limits)
    try:
        seal = seal_of(installation.settings)
        yield Pipeline(installation.db, installation.blobs, children, installation.limits, seal=seal)
    finally:
        children.close()
