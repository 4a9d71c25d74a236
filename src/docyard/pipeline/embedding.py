"""Jobs that embed a document's chunks and tags in a confined child; each batch is saved when it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from docyard import clock, log, queue
from docyard.db import Connection
from docyard.errors import NotFound, Reject, Retry
from docyard.inference.embedding import Model, find_model
from docyard.model import timeouts
from docyard.model.jobs import Completion, Lease
from docyard.pipeline import step as steps
from docyard.pipeline.children.tasks import embed_texts
from docyard.pipeline.embedding_jobs import TAGS_TYPE, TYPE, make_embedding_job
from docyard.pipeline.run import Pipeline
from docyard.store import embeddings, tags
from docyard.store.documents import get_document

_BATCH_SIZE = 32
_MAX_SECONDS = 60.0  # a long document takes several jobs, so that other documents are served in between


def embed_document(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> None:
    """Embed the document's chunks and tags that have no vector; a long document continues in another job."""
    if lease.document_id is None:
        raise Reject("not_found", "The embedding job has no document_id.")
    model = find_model()
    number = _prepare_model(pipeline, model)
    complete = model is None or number is None or _embed_all(pipeline, lease, model, number, lost)
    with pipeline.db.transaction() as conn:
        _end(conn, lease, number, complete=complete)


def _prepare_model(pipeline: Pipeline, model: Model | None) -> int | None:
    """Register the model and return its id, or None if there is no model or no table for vectors."""
    with pipeline.db.transaction() as conn:
        if model is None or not embeddings.has_vector_tables(conn):
            log.debug("embedding_is_off", weights=model is not None)
            return None
        return embeddings.ensure_model(conn, model.name, model.fingerprint, model.dims)


def _embed_all(pipeline: Pipeline, lease: Lease, model: Model, number: int, lost: Callable[[], bool]) -> bool:
    """Embed all chunks, then a batch of tags; return False if time ran out or the worker is stopping."""
    deadline = clock.monotonic() + _MAX_SECONDS
    while not _embed_some(pipeline, lease, model, number):
        if lost():
            raise Retry("worker_lost", "The worker lost its lease between two batches.")
        if clock.monotonic() > deadline or pipeline.is_stopping():
            return False
    _embed_tags(pipeline, lease, model, number)
    return True


def _embed_some(pipeline: Pipeline, lease: Lease, model: Model, number: int) -> bool:
    """Embed the next batch of chunks; return whether it was the last one."""
    with pipeline.db.transaction() as conn:
        missing = (
            embeddings.list_unembedded_chunks(conn, lease.document_id, number, _BATCH_SIZE) if lease.document_id else []
        )
    if not missing:
        return True
    vectors = _embed(pipeline, lease, model, [text for _, text in missing])
    with _lock_lease(pipeline, lease) as conn:
        embeddings.save_embeddings(conn, number, [chunk for chunk, _ in missing], vectors)
    return len(missing) < _BATCH_SIZE


def _embed_tags(pipeline: Pipeline, lease: Lease, model: Model, number: int) -> bool:
    """Embed a batch of tags of the job's document or workspace; return whether it was the last one."""
    with pipeline.db.transaction() as conn:
        if lease.document_id:
            missing = tags.list_unembedded_of_document(conn, lease.document_id, number, _BATCH_SIZE)
        else:
            missing = tags.list_unembedded_of_workspace(conn, lease.workspace_id, number, _BATCH_SIZE)
    if missing:
        vectors = _embed(pipeline, lease, model, [name for _, name in missing])
        with _lock_lease(pipeline, lease) as conn:
            tags.save_embeddings(conn, number, missing, vectors)
    return len(missing) < _BATCH_SIZE


def _embed(pipeline: Pipeline, lease: Lease, model: Model, texts: list[str]) -> list[bytes]:
    return pipeline.children.call(embed_texts, model.folder, texts, seconds=timeouts.EMBEDDING, key=lease.job_id)


@contextmanager
def _lock_lease(pipeline: Pipeline, lease: Lease) -> Iterator[Connection]:
    """Open a transaction that locks the job; raise Retry if the lease was lost."""
    with pipeline.db.transaction() as conn:
        if queue.lock_lease(conn, lease) is None:
            raise Retry("worker_lost", "The worker lost its lease while it embedded texts.")
        yield conn


def _end(conn: Connection, lease: Lease, number: int | None, *, complete: bool) -> None:
    if lease.job_id not in queue.settle(conn, [Completion(lease)]):
        steps.refuse(conn, lease)
        return
    if lease.document_id is None or number is None:
        return
    if complete:
        embeddings.mark_embedded(conn, lease.document_id, number)
        queue.discard_superseded(conn, [lease.document_id], TYPE)
        return
    try:
        document = get_document(conn, lease.document_id)
    except NotFound:
        return
    queue.enqueue(conn, make_embedding_job(conn, document, lease.tier))


def embed_tags(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> None:
    """Embed the tags of a workspace that have no vector; if time runs out, upkeep queues another job."""
    model = find_model()
    number = _prepare_model(pipeline, model)
    deadline = clock.monotonic() + _MAX_SECONDS
    while model is not None and number is not None and not _embed_tags(pipeline, lease, model, number):
        if lost():
            raise Retry("worker_lost", "The worker lost its lease between two batches.")
        if clock.monotonic() > deadline or pipeline.is_stopping():
            break
    with pipeline.db.transaction() as conn:
        _end(conn, lease, number, complete=True)


HANDLERS = {TYPE: embed_document, TAGS_TYPE: embed_tags}
