"""The duty that queues low-tier embedding jobs for documents and tags without vectors of the current model.

This covers documents received before the model was installed or changed. Tags are usually embedded with their
document; this duty queues tags that were added later, or whose documents have no text.
"""

from __future__ import annotations

from docyard import queue
from docyard.inference.embedding import find_model
from docyard.model.tiers import Tier
from docyard.pipeline.embedding_jobs import make_job, make_tags_job
from docyard.store import embeddings, tags
from docyard.store.documents import get_documents
from docyard.worker.duties.duty import Duty, DutyContext

_MAX_DOCUMENTS = 200
_MAX_WORKSPACES = 200


def _queue_unembedded(context: DutyContext) -> str | None:
    model = find_model()
    if model is None or not embeddings.has_vector_tables(context.conn):
        return "Semantic search is off: the embedding model or the extension pgvector is not installed"
    number = embeddings.ensure_model(context.conn, model.name, model.fingerprint, model.dims)
    found = embeddings.list_unembedded_documents(context.conn, number, _MAX_DOCUMENTS)
    if found:
        queue.enqueue(context.conn, [make_job(each, Tier.LOW) for each in get_documents(context.conn, found)])
    if found:
        return f"Documents queued for embedding: {len(found)}"
    workspaces = tags.list_workspaces_to_embed(context.conn, number, _MAX_WORKSPACES)
    queue.enqueue(context.conn, [make_tags_job(workspace) for workspace in workspaces])
    return f"Workspaces whose tags were queued for embedding: {len(workspaces)}" if workspaces else None


DUTY = Duty("embeddings", 60.0, _queue_unembedded)
