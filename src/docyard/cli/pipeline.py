"""The pipeline of an installation, in a separate module because importing all stages is slow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from docyard.cli.installation import Installation
from docyard.cli.secret import load_seal
from docyard.pipeline.children import ChildPool
from docyard.pipeline.run import Pipeline
from docyard.store.blobs import FolderBlobs


@contextmanager
def open_pipeline(installation: Installation, blobs: FolderBlobs, slots: int) -> Iterator[Pipeline]:
    """Open the pipeline of an installation with this many confined child processes."""
    children = ChildPool(slots, installation.limits)
    try:
        seal = load_seal(installation.settings)
        yield Pipeline(installation.db, blobs, children, installation.limits, cipher=seal)
    finally:
        children.close()
