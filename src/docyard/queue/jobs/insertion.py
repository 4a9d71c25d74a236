"""Insertion of jobs into the queue."""

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

_SQL = Queries("docyard.queue.jobs", "insertion.sql")
_REJECTIONS = (psycopg.errors.IntegrityError, psycopg.errors.DataError, psycopg.errors.StatementTooComplex)
_COLUMNS = [column.name for column in fields(NewJob)]
# Minimum number of seconds between notifications that this process sends about a pool. A notified worker
# polls the pool once more after this time, to find jobs that were enqueued without a notification.
NOTIFY_INTERVAL_SECONDS = 0.05
_last_notified: dict[str, float] = {}


def enqueue(conn: Connection, jobs: Sequence[NewJob]) -> list[UUID]:
    """Enqueue jobs, except those whose dedupe key a live job already has; return the ids of the new jobs."""
    columns: dict[str, list[object]] = {name: [getattr(job, name) for job in jobs] for name in _COLUMNS}
    columns["payload"] = [Jsonb(job.payload) for job in jobs]
    columns["tier"] = [int(job.tier) for job in jobs]
    columns["delay_seconds"] = [float(job.delay_seconds) for job in jobs]
    columns["notify_pools"] = [pool for pool in set(columns["pool"]) if _is_notice_due(str(pool))]
    try:
        return [row["id"] for row in conn.execute(_SQL["enqueue"], columns)]
    except _REJECTIONS as error:
        raise BadInput(_explain(error)) from error
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"The payload cannot be written as JSON ({error}).") from error


def find_by_dedupe_key(conn: Connection, workspace_id: UUID, dedupe_key: str) -> UUID | None:
    """Return the id of the live job with this dedupe key, or None."""
    params = {"workspace_id": workspace_id, "dedupe_key": dedupe_key}
    row = conn.execute(_SQL["find_by_dedupe_key"], params).fetchone()
    return row["id"] if row else None


def find_by_dedupe_keys(
    conn: Connection, workspace_id: UUID, dedupe_keys: Sequence[str]
) -> dict[str, tuple[UUID, Mapping[str, object]]]:
    """Return a dictionary from dedupe key to the id and payload of the live job that has it."""
    rows = conn.execute(_SQL["find_by_dedupe_keys"], {"workspace_id": workspace_id, "dedupe_keys": list(dedupe_keys)})
    return {row["dedupe_key"]: (row["id"], row["payload"]) for row in rows}


def _is_notice_due(pool: str) -> bool:
    """Return whether to notify workers of the pool now, and record the time if so.

    The rate is limited because PostgreSQL serialises commits that notify.
    """
    now = clock.monotonic()
    if now - _last_notified.get(pool, -NOTIFY_INTERVAL_SECONDS) < NOTIFY_INTERVAL_SECONDS:
        return False
    _last_notified[pool] = now
    return True


def _explain(error: psycopg.Error) -> str:
    messages = {
        "jobs_pool_fkey": "There is no such pool.",
        "jobs_tier_fkey": "There is no such tier.",
        "jobs_workspace_id_fkey": "There is no such workspace.",
        "jobs_of_document": "There is no such document in this workspace.",
        "jobs_attempt_left": "A job must have between 1 and 100 attempts.",
        "jobs_attempts_counted": "A job must have between 1 and 100 attempts.",
        "jobs_names_short": "The type and the stage of a job must not be longer than 100 bytes.",
        "jobs_times_sane": "The arrival of a job must be between the years 1900 and 2200.",
        "jobs_payload_small": "The payload must be a JSON object of at most 64 KiB.",
    }
    name = error.diag.constraint_name or error.diag.message_primary or str(error)
    return messages.get(name, f"The job cannot be accepted ({name}).")
