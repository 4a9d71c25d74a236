"""Creation of jobs that embed documents and tags; they run after the last stage, so stages need not wait."""

from __future__ import annotations

from uuid import UUID

from docyard.db import Connection
from docyard.inference.embedding import find_model
from docyard.model.documents import Document
from docyard.model.jobs import NewJob
from docyard.model.tiers import Tier
from docyard.store.embeddings import is_embeddable

TYPE = "embed_document"
TAGS_TYPE = "embed_tags"
POOL = "embed"


def make_embedding_job(conn: Connection, document: Document, tier: Tier | None = None) -> list[NewJob]:
    """Return a list with the embedding job of a document; empty if it has no chunks or embedding is off."""
    if find_model() is None or not is_embeddable(conn, document.id):
        return []
    return [make_job(document, document.tier if tier is None else tier)]


def make_job(document: Document, tier: Tier) -> NewJob:
    """Return the embedding job of a document, without checking that it can be embedded."""
    return NewJob(
        workspace_id=document.workspace_id,
        pool=POOL,
        type=TYPE,
        document_id=document.id,
        tier=tier,
        priority=document.priority,
        dedupe_key=f"embed:{document.id}",
    )


def make_tags_job(workspace_id: UUID) -> NewJob:
    """Return a low-tier job that embeds the tags of a workspace."""
    return NewJob(
        workspace_id=workspace_id, pool=POOL, type=TAGS_TYPE, tier=Tier.LOW, dedupe_key=f"embed_tags:{workspace_id}"
    )
