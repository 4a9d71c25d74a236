"""Another model than the package's, and the duty that spreads it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from docyard.inference.embedding import Model, choose_model, find_model
from docyard.pipeline.run import Pipeline
from docyard.worker.duties import Chore
from docyard.worker.duties import embeddings as duty
from docyard.worker.options import WorkerOptions


def chore(pipeline: Pipeline, workspace: UUID) -> str | None:
    """Do the duty of embedding what is not embedded; gives what it says."""
    with pipeline.db.transaction() as conn:
        return duty.DUTY.act(Chore(conn, pipeline, workspace, WorkerOptions()))


@contextmanager
def chosen(folder: Path) -> Iterator[Model]:
    """Another model of another size, while inside."""
    choose_model(folder)
    model = find_model()
    assert model
    yield model
    choose_model(None)
