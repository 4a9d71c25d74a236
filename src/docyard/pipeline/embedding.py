"""Embedding a document: chunks and then tags go through a confined child, each batch kept when it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from docyard import clock, log, queue
from docyard.db import Connection
from docyard.errors import NotFound, Reject, Retry
from docyard.inference.embedding import Model, find_model
from docyard.model import timeouts
from docyard.model.jobs import Done, Lease
from docyard.pipeline import step as steps
from docyard.pipeline.children.tasks import embed_texts
from docyard.pipeline.embedding_jobs import TAGS_TYPE, TYPE, embed_job
from docyard.pipeline.run import Pipeline
from docyard.store import embeddings, tags
from docyard.store.documents import get_document

_BATCH = 32
_LONGEST_SECONDS = 60.0  # a book takes several jobs, so that others get their turn between them


def embed_document(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> None:
    """Embed what of the document is not embedded yet; a large one goes on in another job."""
    if lease.document_id is None:
        raise Reject("not_found", "The job names no document.")
    model = find_model()
    number = _prepared(pipeline, model)
    whole = model is None or number is None or _embed_all(pipeline, lease, model, number, lost)
    with pipeline.db.transaction() as conn:
        _end(conn, lease, number, whole=whole)


def _prepared(pipeline: Pipeline, model: Model | None) -> int | None:
    """The model's number; None where vectors cannot be made or kept, which is no failure."""
    with pipeline.db.transaction() as conn:
        if model is None or not embeddings.can_keep_embeddings(conn):
            log.debug("embedding_is_off", weights=model is not None)
            return None
        return embeddings.ensure_model(conn, model.name, model.fingerprint, model.dims)


def _embed_all(pipeline: Pipeline, lease: Lease, model: Model, number: int, lost: Callable[[], bool]) -> bool:
    """Embed batch after batch; False when the time was up before all was done."""
    until = clock.monotonic() + _LONGEST_SECONDS
    while not _embed_some(pipeline, lease, model, number):
        if lost():
            raise Retry("worker_lost", "The worker lost its lease between two batches.")
        if clock.monotonic() > until or pipeline.stopping():
            return False
    _embed_tags(pipeline, lease, model, number)
    return True


def _embed_some(pipeline: Pipeline, lease: Lease, model: Model, number: int) -> bool:
    """Embed the next batch; gives whether there was nothing left to do."""
    with pipeline.db.transaction() as conn:
        missing = (
            embeddings.missing_chunks(conn, lease.document_id, number, _BATCH) if lease.document_id else []
        )
    if not missing:
        return True
    vectors = _vectors(pipeline, lease, model, [text for _, text in missing])
    with _held(pipeline, lease) as conn:
        embeddings.save_embeddings(conn, number, [chunk for chunk, _ in missing], vectors)
    return len(missing) < _BATCH


def _embed_tags(pipeline: Pipeline, lease: Lease, model: Model, number: int) -> bool:
    """Embed tags of the document, or of the workspace where none is named; gives whether all are done."""
    with pipeline.db.transaction() as conn:
        if lease.document_id:
            missing = tags.missing_of_document(conn, lease.document_id, number, _BATCH)
        else:
            missing = tags.missing_of_workspace(conn, lease.workspace_id, number, _BATCH)
    if missing:
        vectors = _vectors(pipeline, lease, model, [name for _, name in missing])
        with _held(pipeline, lease) as conn:
            tags.save_embeddings(conn, number, missing, vectors)
    return len(missing) < _BATCH


def _vectors(pipeline: Pipeline, lease: Lease, model: Model, texts: list[str]) -> list[bytes]:
    return pipeline.children.call(
        embed_texts, model.folder, texts, seconds=timeouts.EMBEDDING, key=lease.job_id
    )


@contextmanager
def _held(pipeline: Pipeline, lease: Lease) -> Iterator[Connection]:
    """A transaction that only the holder of the job gets."""
    with pipeline.db.transaction() as conn:
        if queue.still_held(conn, lease) is None:
            raise Retry("worker_lost", "The job was taken away while its texts were embedded.")
        yield conn


def _end(conn: Connection, lease: Lease, number: int | None, *, whole: bool) -> None:
    if lease.job_id not in queue.settle(conn, [Done(lease)]):
        steps.refuse(conn, lease)
        return
    if lease.document_id is None or number is None:
        return
    if whole:
        embeddings.mark_embedded(conn, lease.document_id, number)
        return
    try:
        document = get_document(conn, lease.document_id)
    except NotFound:
        return
    queue.enqueue(conn, embed_job(conn, document, lease.tier))


def embed_tags(pipeline: Pipeline, lease: Lease, lost: Callable[[], bool]) -> None:
    """Embed what tags of a workspace no document's job embeds; upkeep asks again for what is left."""
    model = find_model()
    number = _prepared(pipeline, model)
    until = clock.monotonic() + _LONGEST_SECONDS
    while model is not None and number is not None and not _embed_tags(pipeline, lease, model, number):
        if lost():
            raise Retry("worker_lost", "The worker lost its lease between two batches.")
        if clock.monotonic() > until or pipeline.stopping():
            break
    with pipeline.db.transaction() as conn:
        _end(conn, lease, number, whole=True)


HANDLERS = {TYPE: embed_document, TAGS_TYPE: embed_tags}
