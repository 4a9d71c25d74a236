"""The operators' reset on a schedule: documents that failed, but could succeed, are queued again."""

from __future__ import annotations

from uuid import UUID

import psycopg

from docyard import clock, log, queue
from docyard.worker.duties.duty import Chore, Duty

COOL_DOWN_SECONDS = 300.0
_MOST = 1000
_LONGEST_SECONDS = 5.0  # claiming waits for us; what is left is done the next time


def _reset(chore: Chore) -> str | None:
    until = clock.monotonic() + _LONGEST_SECONDS
    queued = broken = 0
    for document_id in queue.resettable_documents(chore.conn, cool_down=COOL_DOWN_SECONDS, most=_MOST):
        if clock.monotonic() > until:
            break
        done = _reset_one(chore, document_id)
        queued += done is True
        broken += done is None
    if not queued and not broken:
        return None
    return f"{queued} documents queued again" + (f", {broken} could not be" if broken else "")


def _reset_one(chore: Chore, document_id: UUID) -> bool | None:
    """None when it could not even be tried; that sinks no other."""
    try:
        with chore.conn.transaction():
            return queue.requeue_document(chore.conn, document_id)
    except psycopg.Error as error:
        if chore.conn.closed:
            raise
        log.warn("document_not_reset", document=document_id, error=str(error).strip())
        return None


DUTY = Duty("reset_failed", 300.0, _reset)
