"""Counting what costs as much as the backlog is long: once per interval, by one worker, for all who look."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from docyard import clock
from docyard.db import Connection, Queries
from docyard.queue.monitor.samples import BOUNDS, Ended, Sample, latest_sample
from docyard.queue.monitor.status import STUCK_SECONDS
from docyard.queue.monitor.tallies import totals

_SQL = Queries("docyard.queue.monitor", "sampler.sql")
# No transaction of ours stays open longer, so what ended before that is committed, or never will be.
SETTLING_SECONDS = 15.0
KEPT_DAYS = 7
_MOST_NAMED = 20


def take_sample(conn: Connection, *, lag: float = SETTLING_SECONDS) -> None:
    """Count the queue now; endings are counted up to `lag` seconds ago, each exactly once."""
    began = clock.monotonic()
    before = latest_sample(conn)
    moment = conn.execute(_SQL["moment"], {"lag": lag}).fetchone() or {}
    since = datetime.fromisoformat(before.facts["until"]) if before else None
    until = max(since, moment["until"]) if since else moment["until"]
    facts = {
        "until": until.isoformat(),
        "depth": conn.execute(_SQL["depth"]).fetchall(),
        "ended": asdict(_ended(conn, before, since, until)),
        "tables": conn.execute(_SQL["tables"]).fetchall(),
        "totals": [[*t.key, t.jobs, t.fresh, t.wait_seconds, t.late] for t in totals(conn)],
        **_trouble(conn),
        **_holders(conn, before, moment["now"]),
    }
    facts["seconds"] = clock.monotonic() - began
    conn.execute(_SQL["keep_sample"], {"facts": Jsonb(facts)})


def count_now(conn: Connection) -> Sample:
    """What waits and what is in trouble, counted for one who looks; nothing of it is kept."""
    before = latest_sample(conn)
    moment = conn.execute(_SQL["moment"], {"lag": 0.0}).fetchone() or {}
    facts = {**(before.facts if before else {}), **_trouble(conn)}
    return Sample(moment["now"], 0.0, {**facts, "depth": conn.execute(_SQL["depth"]).fetchall()})


def prune_samples(conn: Connection, days: int = KEPT_DAYS) -> int:
    """Forget samples older than so many days, but never the newest; gives how many went."""
    row = conn.execute(_SQL["prune_samples"], {"days": days}).fetchone()
    return int(row["gone"]) if row else 0


def _ended(conn: Connection, before: Sample | None, since: datetime | None, until: datetime) -> Ended:
    given = {"since": since, "until": until, "bounds": list(BOUNDS)}
    row = conn.execute(_SQL["ended"], given).fetchone() or {}
    more = Ended(**{**row, "within": tuple(row["within"])})
    return before.ended.plus(more) if before else more


def _trouble(conn: Connection) -> dict[str, Any]:
    given = {"seconds": STUCK_SECONDS, "most": _MOST_NAMED}
    row = conn.execute(_SQL["trouble"], given).fetchone() or {}
    named = [str(document) for document in row["first_stuck"]]
    return {"dead": row["dead"], "stuck": row["stuck"], "stuck_documents": named}


def _holders(conn: Connection, before: Sample | None, now: datetime) -> dict[str, Any]:
    """The one who has held longest; a slot does not say since when, so it is remembered since first seen."""
    seen = before.facts.get("slots", {}) if before else {}
    slots, found = {}, []
    for row in conn.execute(_SQL["holders"]):
        xmin = row.pop("xmin")
        if row["seconds"] is None:
            slot = seen.get(row["name"])
            since = slot[1] if slot and slot[0] == xmin else now.isoformat()
            slots[row["name"]] = (xmin, since)
            row["seconds"] = (now - datetime.fromisoformat(since)).total_seconds()
        found.append(row)
    return {"holder": max(found, key=lambda row: row["seconds"], default=None), "slots": slots}
