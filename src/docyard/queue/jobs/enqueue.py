"""Putting jobs into the queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from docyard import clock
from docyard.db import Connection, Queries
from docyard.errors import BadInput
from docyard.model.jobs import NewJob

_SQL = Queries("docyard.queue.jobs", "enqueue.sql")
_REFUSALS = (psycopg.errors.IntegrityError, psycopg.errors.DataError, psycopg.errors.StatementTooComplex)
_COLUMNS = [column.name for column in fields(NewJob)]
NOTICE_EVERY = 0.05  # a worker that heard of a pool looks again after that time, for what was not told
_told: dict[str, float] = {}


def enqueue(conn: Connection, jobs: Sequence[NewJob]) -> list[UUID]:
    """Add jobs in the caller's transaction; work that is already live is not added again."""
    columns: dict[str, list[object]] = {name: [getattr(job, name) for job in jobs] for name in _COLUMNS}
    columns["payload"] = [Jsonb(job.payload) for job in jobs]
    columns["tier"] = [int(job.tier) for job in jobs]
    columns["delay_seconds"] = [float(job.delay_seconds) for job in jobs]
    columns["tell"] = [pool for pool in set(columns["pool"]) if _notice_due(str(pool))]
    try:
        return [row["id"] for row in conn.execute(_SQL["enqueue"], columns)]
    except _REFUSALS as error:
        raise BadInput(_in_words(error)) from error
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"The payload cannot be written as JSON ({error}).") from error


def find_live(conn: Connection, workspace_id: UUID, dedupe_key: str) -> UUID | None:
    """The live job that does this work."""
    given = {"workspace_id": workspace_id, "dedupe_key": dedupe_key}
    row = conn.execute(_SQL["find_live"], given).fetchone()
    return row["id"] if row else None


def live_by_key(
    conn: Connection, workspace_id: UUID, dedupe_keys: Sequence[str]
) -> dict[str, tuple[UUID, Mapping[str, object]]]:
    """The live jobs that do these works, by key, each with what it was told."""
    rows = conn.execute(_SQL["live_by_key"], {"workspace_id": workspace_id, "dedupe_keys": list(dedupe_keys)})
    return {row["dedupe_key"]: (row["id"], row["payload"]) for row in rows}


def _notice_due(pool: str) -> bool:
    """Whether this process told of the pool long enough ago; commits that notify wait for one another."""
    now = clock.monotonic()
    if now - _told.get(pool, -NOTICE_EVERY) < NOTICE_EVERY:
        return False
    _told[pool] = now
    return True


def _in_words(error: psycopg.Error) -> str:
    words = {
        "jobs_pool_fkey": "There is no such pool.",
        "jobs_tier_fkey": "There is no such tier.",
        "jobs_workspace_id_fkey": "There is no such workspace.",
        "jobs_of_document": "There is no such document in this workspace.",
        "jobs_attempt_left": "A job has between 1 and 100 attempts.",
        "jobs_attempts_counted": "A job has between 1 and 100 attempts.",
        "jobs_payload_small": "The payload must be an object of at most 64 KiB.",
    }
    name = error.diag.constraint_name or error.diag.message_primary or str(error)
    return words.get(name, f"The job cannot be accepted ({name}).")
