"""The alarm about blockers, raised by a thread with its own connection, because they may block everything else."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from docyard import clock, log
from docyard.db import Connection, Database
from docyard.queue import monitor

# Seconds:
PERIOD = 10.0
_REPEAT_AFTER = 600.0
_STATEMENT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class _Alarm:
    said: str
    logged_at: float


class BlockerWatch:
    """The blockers that were found last; each is logged when it is found, again every ten minutes, and when it ends."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._conn: Connection | None = None
        self._alarms: dict[tuple[object, ...], _Alarm] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="blocker-watch", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; wait at most five seconds for it."""
        self._stop.set()
        self._thread.join(timeout=5)

    def look(self) -> None:
        """Look for blockers once, and log the changes."""
        is_reused = self._conn is not None
        try:
            self._conn = self._conn or self._db.connect("blockers", statement_seconds=_STATEMENT_SECONDS)
            blockers = monitor.find_blockers(self._conn)
        except Exception as error:  # noqa: BLE001 (the thread must go on when the database answers again)
            self.close()
            if is_reused:
                self.look()  # the connection may have been lost long ago
            else:
                log.warn("blockers_not_sought", error=str(error).strip())
        else:
            self._log_changes({_identify(blocker): _describe(blocker) for blocker in blockers})

    def close(self) -> None:
        """Close the connection; the next look opens another one."""
        if self._conn is not None:
            self._conn.close()
            self._conn = None

    def _run(self) -> None:
        while not self._stop.wait(PERIOD):
            self.look()
        self.close()

    def _log_changes(self, found: dict[tuple[object, ...], str]) -> None:
        for key in [key for key in self._alarms if key not in found]:
            log.event("queue_alarm_over", was=self._alarms.pop(key).said)
        for key, said in found.items():
            known, now = self._alarms.get(key), clock.monotonic()
            if known is None or now - known.logged_at >= _REPEAT_AFTER:
                log.warn("queue_alarm", said=said)
                self._alarms[key] = _Alarm(said, now)


@contextmanager
def watch_blockers(db: Database) -> Iterator[None]:
    """Watch for blockers during this context."""
    watch = BlockerWatch(db)
    watch.start()
    try:
        yield
    finally:
        watch.stop()


def _identify(blocker: monitor.Blocker) -> tuple[object, ...]:
    return (blocker.kind, blocker.name, blocker.pid, blocker.began_at)


def _describe(blocker: monitor.Blocker) -> str:
    since = f" since {blocker.began_at} UTC" if blocker.began_at else ""
    query = f" ({blocker.query})" if blocker.query else ""
    command = monitor.advise_on_blocker(blocker).command
    return f"Work is blocked: {monitor.describe_blocker(blocker)}{since}{query}. End it with: {command}"
