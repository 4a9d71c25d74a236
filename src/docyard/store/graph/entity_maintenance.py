"""Maintenance of entities after changes: merge clusters, names, and deletion of unmentioned entities."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.store.graph", "entity_maintenance.sql")


def recluster(conn: Connection, ids: Iterable[UUID]) -> None:
    """Recompute `merged_into` of these entities, and of those merged with them, from the confirmed merges."""
    conn.execute(_SQL["recluster"], {"ids": list(ids)})


def withdraw_proposals(conn: Connection, ids: Iterable[UUID]) -> None:
    """Delete proposed merges of these entities, and replace reasons that may quote a deleted document."""
    conn.execute(_SQL["withdraw_proposals"], {"ids": list(ids)})


def drop_orphans(conn: Connection, ids: Iterable[UUID], *, decided: bool = False) -> None:
    """Delete those of these entities that have no mentions, and rename those whose name no mention uses.

    The caller must have called `lock_entities`. Unless `decided`, entities that a user decided on are kept,
    because reprocessing may restore their mentions.
    """
    params = {"ids": list(set(ids)), "decided": decided}
    if not params["ids"]:
        return
    conn.execute(_SQL["refresh_names"], params)
    orphans = [row["id"] for row in conn.execute(_SQL["orphans"], params)]
    if orphans:
        merges = conn.execute(_SQL["drop_merges"], {"ids": orphans}).fetchall()
        recluster(conn, {*orphans, *(end for merge in merges for end in (merge["one"], merge["other"]))})
        conn.execute(_SQL["drop_entities"], {"ids": orphans})
