"""What the admins of a workspace do with its LLM connections; no key ever comes out."""

from __future__ import annotations

from uuid import UUID

from docyard import log, queue
from docyard.errors import NotFound, Setup
from docyard.model.connections import TRY, NewConnection, pool_of, try_key
from docyard.model.jobs import NewJob
from docyard.model.tiers import Tier
from docyard.pipeline.reprocess import classify_by
from docyard.store.connections import add_connection, list_connections, remove_connection
from docyard.store.people import Identity
from docyard.web.context import Web
from docyard.web.inputs import known_id


def add_one(web: Web, identity: Identity, fields: dict[str, str]) -> UUID:
    """Make a connection of what a form says."""
    if web.seal is None:
        raise Setup("This installation has no secret to seal keys with.")
    new = NewConnection(
        name=fields.get("name", "").strip(),
        provider=fields.get("provider", ""),
        model=fields.get("model", "").strip(),
        base_url=fields.get("base_url", "").strip() or None,
        key=fields.get("key", "").strip(),
    )
    with web.db.transaction(identity.workspace_id) as conn:
        made = add_connection(conn, new, web.seal, web.bounds, by=identity.user_id)
    log.event("connection_added", connection=made, provider=new.provider, user=identity.user_id)
    return made


def choose_one(web: Web, identity: Identity, fields: dict[str, str]) -> UUID | None:
    """Let the connection that a form names classify documents, or none."""
    chosen = known_id(fields["connection"], "connection") if fields.get("connection") else None
    with web.db.transaction(identity.workspace_id) as conn:
        classify_by(conn, identity.workspace_id, chosen)
    log.event("connection_chosen", connection=chosen, user=identity.user_id)
    return chosen


def try_one(web: Web, identity: Identity, tried: UUID) -> UUID | None:
    """Queue a question to the model, in its own pool, or find it queued."""
    job = NewJob(
        workspace_id=identity.workspace_id,
        pool=pool_of(tried),
        type=TRY,
        payload={"connection": str(tried)},
        dedupe_key=try_key(tried),
        tier=Tier.USER_UPLOAD,
    )
    with web.db.transaction(identity.workspace_id) as conn:
        if tried not in {each.id for each in list_connections(conn, identity.workspace_id)}:
            raise NotFound("There is no such connection.")
        added = queue.enqueue(conn, [job])
        found = added[0] if added else queue.find_live(conn, identity.workspace_id, try_key(tried))
    log.event("connection_tried", connection=tried, user=identity.user_id)
    return found


def remove_one(web: Web, identity: Identity, removed: UUID) -> None:
    """Remove a connection with its key."""
    with web.db.transaction(identity.workspace_id) as conn:
        remove_connection(conn, removed)
    log.event("connection_removed", connection=removed, user=identity.user_id)
