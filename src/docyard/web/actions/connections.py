"""Changes to the LLM connections of a workspace; API keys are never returned."""

from __future__ import annotations

from uuid import UUID

from docyard import log, queue
from docyard.errors import NotFound, SetupError
from docyard.model.connections import TEST_JOB_TYPE, NewConnection, connection_pool_name, test_dedupe_key
from docyard.model.jobs import NewJob
from docyard.model.tiers import Tier
from docyard.pipeline.reruns import change_classifier
from docyard.store.connections import add_connection, list_connections, remove_connection
from docyard.store.users import Identity
from docyard.web.context import Web
from docyard.web.inputs import parse_object_id


def add_one(web: Web, identity: Identity, fields: dict[str, str]) -> UUID:
    """Add a connection from form fields and return its id; raise SetupError if keys cannot be encrypted."""
    if web.seal is None:
        raise SetupError("This installation has no secret for encrypting API keys. Set DOCYARD_SECRET_KEY.")
    new = NewConnection(
        name=fields.get("name", "").strip(),
        provider=fields.get("provider", ""),
        model=fields.get("model", "").strip(),
        base_url=fields.get("base_url", "").strip() or None,
        key=fields.get("key", "").strip(),
    )
    with web.db.transaction(identity.workspace_id) as conn:
        added = add_connection(conn, new, web.seal, web.bounds, by=identity.user_id)
    log.event("connection_added", connection=added, provider=new.provider, user=identity.user_id)
    return added


def select_connection(web: Web, identity: Identity, fields: dict[str, str]) -> UUID | None:
    """Select the connection that classifies documents and return its id; an empty field selects none."""
    chosen = parse_object_id(fields["connection"], "connection") if fields.get("connection") else None
    with web.db.transaction(identity.workspace_id) as conn:
        change_classifier(conn, identity.workspace_id, chosen)
    log.event("connection_chosen", connection=chosen, user=identity.user_id)
    return chosen


def queue_connection_test(web: Web, identity: Identity, connection_id: UUID) -> UUID | None:
    """Queue a test of the connection and return the job id; a test already queued is not queued again."""
    job = NewJob(
        workspace_id=identity.workspace_id,
        pool=connection_pool_name(connection_id),
        type=TEST_JOB_TYPE,
        payload={"connection": str(connection_id)},
        dedupe_key=test_dedupe_key(connection_id),
        tier=Tier.USER_UPLOAD,
    )
    with web.db.transaction(identity.workspace_id) as conn:
        if connection_id not in {each.id for each in list_connections(conn, identity.workspace_id)}:
            raise NotFound("There is no such connection.")
        added = queue.enqueue(conn, [job])
        job_id = (
            added[0] if added else queue.find_by_dedupe_key(conn, identity.workspace_id, test_dedupe_key(connection_id))
        )
    log.event("connection_test_queued", connection=connection_id, user=identity.user_id)
    return job_id


def remove_one(web: Web, identity: Identity, connection_id: UUID) -> None:
    """Remove a connection and its API key."""
    with web.db.transaction(identity.workspace_id) as conn:
        remove_connection(conn, connection_id)
    log.event("connection_removed", connection=connection_id, user=identity.user_id)
