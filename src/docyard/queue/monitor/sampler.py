"""Samples of the queue: counts whose cost grows with the backlog, taken periodically by a single worker."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from docyard import clock
from docyard.db import Connection, Queries
from docyard.queue.monitor.samples import HISTOGRAM_BOUNDS, EndedCounts, Sample, get_latest_sample
from docyard.queue.monitor.tallies import load_totals

_SQL = Queries("docyard.queue.monitor", "sampler.sql")
# Maximum duration of a transaction: a document that ended longer ago is committed and can be counted.
COMMIT_LAG_SECONDS = 15.0
RETENTION_DAYS = 7
_MAX_STUCK = 20  # stuck documents listed in a sample


def take_sample(conn: Connection, *, lag: float = COMMIT_LAG_SECONDS) -> None:
    """Take and save a sample; documents that ended at least `lag` seconds ago are counted exactly once."""
    started = clock.monotonic()
    previous = get_latest_sample(conn)
    moment = conn.execute(_SQL["moment"], {"lag": lag}).fetchone() or {}
    since = datetime.fromisoformat(previous.facts["until"]) if previous else None
    until = max(since, moment["until"]) if since else moment["until"]
    facts = {
        "until": until.isoformat(),
        "depth": conn.execute(_SQL["depth"]).fetchall(),
        "ended": asdict(_count_ended(conn, previous, since, until)),
        "tables": conn.execute(_SQL["tables"]).fetchall(),
        "totals": [[*t.key, t.jobs, t.fresh, t.wait_seconds, t.late] for t in load_totals(conn)],
        **_count_trouble(conn),
        **(conn.execute(_SQL["recovery"]).fetchone() or {}),
        **_find_holders(conn, previous, moment["now"]),
    }
    facts["seconds"] = clock.monotonic() - started
    conn.execute(_SQL["keep_sample"], {"facts": Jsonb(facts)})


def count_backlog(conn: Connection) -> Sample:
    """Return the latest sample with a new count of the backlog, without saving it."""
    latest = get_latest_sample(conn)
    moment = conn.execute(_SQL["moment"], {"lag": 0.0}).fetchone() or {}
    facts = {**(latest.facts if latest else {}), **_count_trouble(conn)}
    return Sample(moment["now"], 0.0, {**facts, "depth": conn.execute(_SQL["depth"]).fetchall()})


def prune_samples(conn: Connection, days: int = RETENTION_DAYS) -> int:
    """Delete samples older than `days` days, except the newest; return the number deleted."""
    row = conn.execute(_SQL["prune_samples"], {"days": days}).fetchone()
    return int(row["deleted"]) if row else 0


def _count_ended(conn: Connection, previous: Sample | None, since: datetime | None, until: datetime) -> EndedCounts:
    params = {"since": since, "until": until, "bounds": list(HISTOGRAM_BOUNDS)}
    row = conn.execute(_SQL["ended"], params).fetchone() or {}
    more = EndedCounts(**{**row, "within": tuple(row["within"])})
    return previous.ended.plus(more) if previous else more


def _count_trouble(conn: Connection) -> dict[str, Any]:
    row = conn.execute(_SQL["trouble"], {"limit": _MAX_STUCK}).fetchone() or {}
    documents = [str(document) for document in row["first_stuck"]]
    return {"dead": row["dead"], "stuck": row["stuck"], "stuck_documents": documents}


def _find_holders(conn: Connection, previous: Sample | None, now: datetime) -> dict[str, Any]:
    """Return the oldest vacuum blocker, and the xmin of each slot with the time when it was first seen.

    PostgreSQL does not record when a slot got its xmin.
    """
    known = previous.facts.get("slots", {}) if previous else {}
    slots, found = {}, []
    for row in conn.execute(_SQL["holders"]):
        xmin = row.pop("xmin")
        if row["seconds"] is None:
            slot = known.get(row["name"])
            since = slot[1] if slot and slot[0] == xmin else now.isoformat()
            slots[row["name"]] = (xmin, since)
            row["seconds"] = (now - datetime.fromisoformat(since)).total_seconds()
        found.append(row)
    return {"holder": max(found, key=lambda row: row["seconds"], default=None), "slots": slots}
