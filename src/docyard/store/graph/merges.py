"""Merges of entities: proposed with a reason, and confirmed, rejected or undone by users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.errors import BadInput, NotFound
from docyard.model.entities import Merge
from docyard.store.facts import lock_entities
from docyard.store.graph.entity_maintenance import recluster

_SQL = Queries("docyard.store.graph", "merges.sql")
_USER_REASON = "Decided by a user."


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal to merge two entities, with a reason and their similarity."""

    workspace_id: UUID
    kind: str
    one: UUID
    other: UUID
    reason: str
    score: float


def propose_merges(conn: Connection, proposals: Sequence[Proposal]) -> int:
    """Save proposals; return the number of pairs that were neither proposed nor decided before."""
    columns = {f.name: [getattr(each, f.name) for each in proposals] for f in fields(Proposal)}
    return len(conn.execute(_SQL["propose_merges"], columns).fetchall()) if proposals else 0


def confirm_merge(conn: Connection, one: UUID, other: UUID, by: str) -> None:
    """Merge two entities, whether or not this was proposed."""
    _decide(conn, one, other, "confirmed", by)


def reject_merge(conn: Connection, one: UUID, other: UUID, by: str) -> None:
    """Record that two entities are different, so that a merge is not proposed again."""
    _decide(conn, one, other, "rejected", by)


def undo_merge(conn: Connection, one: UUID, other: UUID) -> bool:
    """Undo the decision on two entities, splitting them if merged; return False if there was no decision."""
    workspace_id, _ = _check_pair(conn, one, other)
    lock_entities(conn, workspace_id)
    undone = any(conn.execute(_SQL[query], _pair(one, other)).fetchone() for query in ("undo_merge", "forget_merge"))
    recluster(conn, (one, other))
    return undone


def list_proposals(conn: Connection, workspace_id: UUID, limit: int = 100) -> list[Merge]:
    """Return the undecided proposals, most similar first."""
    rows = conn.execute(_SQL["list_proposals"], {"workspace_id": workspace_id, "limit": limit})
    return [Merge(**row) for row in rows]


def list_merges(conn: Connection, ids: Sequence[UUID], limit: int = 100) -> list[Merge]:
    """Return the proposed and decided merges of these entities."""
    return [Merge(**row) for row in conn.execute(_SQL["list_merges"], {"ids": list(ids), "limit": limit})]


def _decide(conn: Connection, one: UUID, other: UUID, state: str, by: str) -> None:
    workspace_id, kind = _check_pair(conn, one, other)
    lock_entities(conn, workspace_id)
    params = {"workspace_id": workspace_id, "kind": kind, "reason": _USER_REASON, "score": None, **_pair(one, other)}
    conn.execute(_SQL["add_merge"], params)
    conn.execute(_SQL["decide_merge"], {**_pair(one, other), "state": state, "by": by})
    recluster(conn, (one, other))


def _check_pair(conn: Connection, one: UUID, other: UUID) -> tuple[UUID, str]:
    """Return the workspace and kind of two entities; raise an error if they cannot be merged."""
    found = conn.execute(_SQL["kinds_of"], {"ids": [one, other]}).fetchall()
    if one == other or len(found) < 2:
        raise NotFound("A merge needs two different, existing entities.")
    if found[0]["kind"] != found[1]["kind"]:
        kinds = " and ".join(sorted(row["kind"] for row in found))
        raise BadInput(f"Only entities of the same kind can be merged, not {kinds}.")
    return found[0]["workspace_id"], found[0]["kind"]


def _pair(one: UUID, other: UUID) -> dict[str, UUID]:
    return {"one": one, "other": other}
