"""Documents and tags that the present model has not embedded are queued for it, behind everything else.

That is how a change of the model spreads, and how documents are embedded that came when there was none.
Tags come with their documents; here are queued those that were given later, or whose documents have no text.
"""

from __future__ import annotations

from docyard import queue
from docyard.inference.embedding import find_model
from docyard.model.tiers import Tier
from docyard.pipeline.embedding_jobs import job_for, tags_job
from docyard.store import embeddings, tags
from docyard.store.documents import get_documents
from docyard.worker.duties.duty import Chore, Duty

_MOST = 200


def _queue_unembedded(chore: Chore) -> str | None:
    model = find_model()
    if model is None or not embeddings.can_keep_embeddings(chore.conn):
        return "off: the weights or pgvector are missing"
    number = embeddings.ensure_model(chore.conn, model.name, model.fingerprint, model.dims)
    found = embeddings.unembedded_documents(chore.conn, number, _MOST)
    if found:
        queue.enqueue(chore.conn, [job_for(each, Tier.LOW) for each in get_documents(chore.conn, found)])
    if found:
        return f"{len(found)} documents queued to be embedded"
    tagged = tags.workspaces_to_embed(chore.conn, number, _MOST)
    queue.enqueue(chore.conn, [tags_job(workspace) for workspace in tagged])
    return f"tags of {len(tagged)} workspaces queued to be embedded" if tagged else None


DUTY = Duty("embeddings", 60.0, _queue_unembedded)
