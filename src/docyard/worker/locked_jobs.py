"""Jobs that cannot go on because another transaction has locked their rows."""

from __future__ import annotations

import psycopg

from docyard import log, queue
from docyard.db import Database
from docyard.errors import Unavailable
from docyard.model.failures import LOCKED
from docyard.model.jobs import Lease, Snooze

_MIN_SECONDS, _MAX_SECONDS = 1.0, 15.0  # the wait doubles each time
_MESSAGE = "Another transaction holds a lock on the document. The job waits and is tried again."


def put_back(db: Database, lease: Lease) -> None:
    """Let a job wait without using an attempt; if its own row is locked, it stays leased.

    The worker returns such a lease to the queue later, as it does with every lease whose job it does not run.
    """
    try:
        with db.transaction() as conn:
            waited = queue.lock_free_lease(conn, lease)
            if waited is not None:
                seconds = min(max(waited, _MIN_SECONDS), _MAX_SECONDS)
                queue.settle(conn, [Snooze(lease, seconds, LOCKED, _MESSAGE)])
    except (Unavailable, psycopg.Error) as error:
        log.warn("locked_job_not_put_back", job=lease.job_id, error=str(error).strip())
    else:
        log.event("job_locked", job=lease.job_id, document=lease.document_id, put_back=waited is not None)
