"""Entities after a change: shown as one where people decided so, and gone with their last mention."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.store.graph", "orphans.sql")


def recluster(conn: Connection, ids: Iterable[UUID]) -> None:
    """Let what the confirmed merges say be shown; it follows from them alone, whatever was shown before."""
    conn.execute(_SQL["recluster"], {"ids": list(ids)})


def reconsider_merges(conn: Connection, ids: Iterable[UUID]) -> None:
    """Forget why these may be one with others, after a document that may have said so is deleted."""
    conn.execute(_SQL["reconsider_merges"], {"ids": list(ids)})


def drop_orphans(conn: Connection, ids: Iterable[UUID], *, decided: bool = False) -> None:
    """Remove those that nothing mentions any more, and rename those whose name went; the caller has the lock.

    What a person has decided about an entity outlives its mentions, which may come back when a document is
    read again, unless its document is deleted.
    """
    given = {"ids": list(set(ids)), "decided": decided}
    if not given["ids"]:
        return
    conn.execute(_SQL["refresh_names"], given)
    gone = [row["id"] for row in conn.execute(_SQL["orphans"], given)]
    if gone:
        merges = conn.execute(_SQL["drop_merges"], {"ids": gone}).fetchall()
        recluster(conn, {*gone, *(end for merge in merges for end in (merge["one"], merge["other"]))})
        conn.execute(_SQL["drop_entities"], {"ids": gone})
