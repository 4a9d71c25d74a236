"""Tags that no document has any more leave their workspace's registry, and their vectors with them.

They were never offered, but each took the place of one that is in use among those that are looked at.
"""

from __future__ import annotations

from docyard import clock
from docyard.store.tags import forget_unused
from docyard.worker.duties.duty import Chore, Duty

_LONGEST_SECONDS = 3.0  # claiming waits for us; what is left is done the next time
_BATCH = 50  # writing tags waits for one batch
_RESTED_SECONDS = 3600.0


def _forget(chore: Chore) -> str | None:
    until = clock.monotonic() + _LONGEST_SECONDS
    forgotten = 0
    while True:
        with chore.pipeline.db.transaction() as conn:
            seen, gone = forget_unused(conn, _BATCH, _RESTED_SECONDS)
        forgotten += gone
        if seen < _BATCH or clock.monotonic() > until:
            return f"{forgotten} unused tags forgotten" if forgotten else None


DUTY = Duty("tags", 600.0, _forget)
