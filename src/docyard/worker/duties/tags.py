"""The duty that deletes tags that no document has, with their vectors.

Unused tags are not suggested, but they use up the limited number of tags examined for a suggestion.
"""

from __future__ import annotations

from docyard import clock
from docyard.store.tags import delete_unused_tags
from docyard.worker.duties.duty import Duty, DutyContext

_MAX_SECONDS = 3.0  # the worker claims nothing meanwhile; remaining work is done in the next run
_BATCH_SIZE = 50  # small, because writers of tags wait for a batch
_RECHECK_SECONDS = 3600.0  # minimum time between two checks of a tag


def _delete_unused(context: DutyContext) -> str | None:
    deadline = clock.monotonic() + _MAX_SECONDS
    deleted = 0
    while True:
        with context.pipeline.db.transaction() as conn:
            seen, gone = delete_unused_tags(conn, _BATCH_SIZE, _RECHECK_SECONDS)
        deleted += gone
        if seen < _BATCH_SIZE or clock.monotonic() > deadline:
            return f"Unused tags deleted: {deleted}" if deleted else None


DUTY = Duty("tags", 600.0, _delete_unused)
