"""Changes to the document types of a workspace."""

from __future__ import annotations

from typing import Literal

from docyard import log
from docyard.model.document_types import CustomType, make_custom_type, normalise_type_name
from docyard.pipeline.reruns import classify_again, find_documents_to_reclassify
from docyard.store.document_types import load_types, remove_type, save_type, switch_type
from docyard.store.users import Identity
from docyard.web.context import Web

MAX_REQUEUED = 500  # documents queued by one request
Switch = Literal["on", "off"]


def add_type(web: Web, identity: Identity, fields: dict[str, str]) -> CustomType:
    """Add a custom type, or replace the description and key phrases of an existing one."""
    phrases = fields.get("phrases", "").splitlines()
    new = make_custom_type(fields.get("name", ""), fields.get("description", ""), phrases)
    with web.db.transaction(identity.workspace_id) as conn:
        save_type(conn, identity.workspace_id, new, identity.email)
    log.event("type_added", name=new.name, user=identity.user_id)
    return new


def switch(web: Web, identity: Identity, name: str, position: Switch) -> None:
    """Switch a type on or off."""
    with web.db.transaction(identity.workspace_id) as conn:
        switch_type(conn, identity.workspace_id, normalise_type_name(name), identity.email, on=position == "on")
    log.event("type_switched", name=name, switch=position, user=identity.user_id)


def remove(web: Web, identity: Identity, name: str) -> None:
    """Remove a custom type."""
    with web.db.transaction(identity.workspace_id) as conn:
        remove_type(conn, identity.workspace_id, normalise_type_name(name))
    log.event("type_removed", name=name, user=identity.user_id)


def reclassify_uncertain(web: Web, identity: Identity) -> int:
    """Queue documents of an uncertain, removed or switched-off type for classification; return how many."""
    with web.db.transaction(identity.workspace_id) as conn:
        names = load_types(conn, identity.workspace_id).names
        found = find_documents_to_reclassify(conn, identity.workspace_id, names, MAX_REQUEUED)
        queued = classify_again(conn, found)
    log.event("documents_reclassified", documents=queued, user=identity.user_id)
    return queued
