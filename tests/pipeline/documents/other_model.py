"""A second embedding model, and the duty that queues documents for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from docyard.inference.embedding import Model, choose_model, find_model
from docyard.pipeline.run import Pipeline
from docyard.worker.duties import DutyContext
from docyard.worker.duties import embeddings as duty
from docyard.worker.options import WorkerOptions


def run_embeddings_duty(pipeline: Pipeline, workspace: UUID) -> str | None:
    """Run the duty `embeddings` and return its message."""
    with pipeline.db.transaction() as conn:
        return duty.DUTY.run(DutyContext(conn, pipeline, workspace, WorkerOptions()))


@contextmanager
def use_model(folder: Path) -> Iterator[Model]:
    """Use the model in this folder inside the block, and yield it."""
    choose_model(folder)
    model = find_model()
    assert model
    yield model
    choose_model(None)
