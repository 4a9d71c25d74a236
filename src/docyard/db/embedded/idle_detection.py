"""Detection that no process is attached to the server."""

from __future__ import annotations

import time

from docyard.db.embedded.layout import Layout
from docyard.db.embedded.locks import open_lock, try_exclusive, unlock

_IDLE_SECONDS = 2.0


class Occupancy:
    """The guardian's check of users.lock, which all attached processes share."""

    def __init__(self, layout: Layout) -> None:
        self._lock = open_lock(layout.users_lock)
        self._idle_since: float | None = None

    def is_idle(self) -> bool:
        """Return whether no process has been attached for two seconds.

        In that case, the exclusive lock is kept, so that no process can attach.
        """
        if not try_exclusive(self._lock):
            self._idle_since = None
            return False
        now = time.monotonic()
        self._idle_since = self._idle_since or now
        if now - self._idle_since >= _IDLE_SECONDS:
            return True
        unlock(self._lock)
        return False
