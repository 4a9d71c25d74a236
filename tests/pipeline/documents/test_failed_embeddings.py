"""Documents whose embedding failed: they stay completed, and a later embedding job removes the dead letter."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from docyard import queue
from docyard.errors import Retry
from docyard.model.jobs import DeadLetter
from docyard.model.tiers import Tier
from docyard.pipeline import embedding
from docyard.pipeline.embedding_jobs import make_job
from docyard.pipeline.reruns import process_again, retry_document
from docyard.pipeline.run import Pipeline
from docyard.store import documents, embeddings
from tests.worker.worker_runs import fetch_rows, run_all_attempts, upload_text

NEW_MODEL = 999  # the number of a model that has embedded nothing


def crash(*_: object) -> Any:
    raise Retry("crash", "The reader process crashed.")


def fail_embedding(pipeline: Pipeline, workspace: UUID) -> UUID:
    """Upload a document and let all attempts at its embedding fail."""
    document = upload_text(pipeline, workspace, "The walrus lives on ice.")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedding, "_embed", crash)
        run_all_attempts(pipeline)
    (letter,) = list_letters(pipeline)
    assert (letter.type, letter.document_id) == ("embed_document", document)
    return document


def list_letters(pipeline: Pipeline) -> list[DeadLetter]:
    with pipeline.db.transaction() as conn:
        return queue.find_dead_letters(conn)


def check_embedded(pipeline: Pipeline, document: UUID) -> None:
    """Check that the document is embedded, that no dead letter is left, and that a new model embeds it again."""
    assert fetch_rows(pipeline, "SELECT document_id FROM embedded_documents") == [{"document_id": document}]
    assert list_letters(pipeline) == []
    with pipeline.db.transaction() as conn:
        assert embeddings.list_unembedded_documents(conn, NEW_MODEL, 10) == [document]


def test_a_retry_repeats_a_failed_embedding(pipeline: Pipeline, workspace: UUID) -> None:
    document = fail_embedding(pipeline, workspace)
    with pipeline.db.transaction() as conn:
        assert retry_document(conn, document) is not None
        assert documents.get_document(conn, document).status == "completed"
    run_all_attempts(pipeline)
    check_embedded(pipeline, document)
    with pipeline.db.transaction() as conn:
        assert retry_document(conn, document) is None


def test_processing_a_document_again_discards_the_letter_of_its_embedding(pipeline: Pipeline, workspace: UUID) -> None:
    document = fail_embedding(pipeline, workspace)
    with pipeline.db.transaction() as conn:
        process_again(conn, document)
    assert list_letters(pipeline) == []
    run_all_attempts(pipeline)
    check_embedded(pipeline, document)


def test_a_later_embedding_job_discards_the_letter(pipeline: Pipeline, workspace: UUID) -> None:
    """The letter may be written while the document is processed again."""
    document = fail_embedding(pipeline, workspace)
    with pipeline.db.transaction() as conn:
        queue.enqueue(conn, [make_job(documents.get_document(conn, document), Tier.LOW)])
    run_all_attempts(pipeline)
    check_embedded(pipeline, document)
