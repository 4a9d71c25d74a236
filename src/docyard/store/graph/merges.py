"""Entities that may be one: proposed with a reason, decided by people, and undone without a trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from uuid import UUID

from docyard.db import Connection, Queries
from docyard.errors import BadInput, NotFound
from docyard.model.entities import Merge
from docyard.store.facts import lock_things
from docyard.store.graph.orphans import recluster

_SQL = Queries("docyard.store.graph", "merges.sql")
_BY_HAND = "A person said so."


@dataclass(frozen=True, slots=True)
class Proposal:
    """Two entities that may be one, why, and how alike they are."""

    workspace_id: UUID
    kind: str
    one: UUID
    other: UUID
    reason: str
    score: float


def propose_merges(conn: Connection, proposals: Sequence[Proposal]) -> int:
    """Note that entities may be one; gives how many pairs were not proposed or decided before."""
    columns = {f.name: [getattr(each, f.name) for each in proposals] for f in fields(Proposal)}
    return len(conn.execute(_SQL["propose_merges"], columns).fetchall()) if proposals else 0


def confirm_merge(conn: Connection, one: UUID, other: UUID, by: str) -> None:
    """Two entities are one, proposed or not."""
    _decide(conn, one, other, "confirmed", by)


def reject_merge(conn: Connection, one: UUID, other: UUID, by: str) -> None:
    """Two entities are two, and are not proposed again."""
    _decide(conn, one, other, "rejected", by)


def undo_merge(conn: Connection, one: UUID, other: UUID) -> bool:
    """Take a decision back, so that everything is as it was before; False when there was none."""
    workspace_id, _ = _common(conn, one, other)
    lock_things(conn, workspace_id)
    undone = any(
        conn.execute(_SQL[query], _pair(one, other)).fetchone() for query in ("undo_merge", "forget_merge")
    )
    recluster(conn, (one, other))
    return undone


def open_merges(conn: Connection, workspace_id: UUID, most: int = 100) -> list[Merge]:
    """What waits for a person's decision, the most alike first."""
    rows = conn.execute(_SQL["open_merges"], {"workspace_id": workspace_id, "most": most})
    return [Merge(**row) for row in rows]


def merges_of(conn: Connection, ids: Sequence[UUID], most: int = 100) -> list[Merge]:
    """What was proposed or decided about these entities."""
    return [Merge(**row) for row in conn.execute(_SQL["merges_of"], {"ids": list(ids), "most": most})]


def _decide(conn: Connection, one: UUID, other: UUID, state: str, by: str) -> None:
    workspace_id, kind = _common(conn, one, other)
    lock_things(conn, workspace_id)
    given = {
        "workspace_id": workspace_id,
        "kind": kind,
        "reason": _BY_HAND,
        "score": None,
        **_pair(one, other),
    }
    conn.execute(_SQL["add_merge"], given)
    conn.execute(_SQL["decide_merge"], {**_pair(one, other), "state": state, "by": by})
    recluster(conn, (one, other))


def _common(conn: Connection, one: UUID, other: UUID) -> tuple[UUID, str]:
    """Workspace and kind of two entities, which only then can be one."""
    found = conn.execute(_SQL["kinds_of"], {"ids": [one, other]}).fetchall()
    if one == other or len(found) < 2:
        raise NotFound("There are no two such entities.")
    if found[0]["kind"] != found[1]["kind"]:
        kinds = " and ".join(sorted(row["kind"] for row in found))
        raise BadInput(f"Only entities of one kind can be merged, not {kinds}.")
    return found[0]["workspace_id"], found[0]["kind"]


def _pair(one: UUID, other: UUID) -> dict[str, UUID]:
    return {"one": one, "other": other}
