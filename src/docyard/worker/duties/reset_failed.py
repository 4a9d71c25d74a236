"""The duty that queues failed documents again if a retry may succeed, as operators do with a reset."""

from __future__ import annotations

from uuid import UUID

import psycopg

from docyard import clock, log, queue
from docyard.worker.duties.duty import Duty, DutyContext

COOL_DOWN_SECONDS = 300.0
_MAX_DOCUMENTS = 1000  # per run
_MAX_SECONDS = 5.0  # the worker claims nothing meanwhile; remaining work is done in the next run


def _reset(context: DutyContext) -> str | None:
    deadline = clock.monotonic() + _MAX_SECONDS
    queued = errors = 0
    for document_id in queue.find_resettable_documents(context.conn, cool_down=COOL_DOWN_SECONDS, limit=_MAX_DOCUMENTS):
        if clock.monotonic() > deadline:
            break
        done = _reset_one(context, document_id)
        queued += done is True
        errors += done is None
    if not queued and not errors:
        return None
    return f"Failed documents queued again: {queued}" + (
        f"; not queued because of an error, see the log: {errors}" if errors else ""
    )


def _reset_one(context: DutyContext, document_id: UUID) -> bool | None:
    """Queue a document again and return whether it was queued; return None after a database error.

    A document that another transaction has locked is left for the next run.
    """
    try:
        with context.conn.transaction():
            return queue.requeue_document(context.conn, document_id)
    except psycopg.Error as error:
        if context.conn.closed:
            raise
        log.warn("document_not_reset", document=document_id, error=str(error).strip())
        return None


DUTY = Duty("reset_failed", 300.0, _reset)
