"""The watch over the database's clock: a step of it is handled before a duty compares stored times with it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from uuid import UUID

from docyard import log
from docyard.db import Connection, Database
from docyard.errors import Locked
from docyard.queue import control
from docyard.queue.control import ClockReading, ClockStep
from docyard.store.shifted_times import pull_documents, shift_store_times

# Seconds:
_NOTE_INTERVAL = 5.0
_MAX_READING = 1.0  # a reading that took longer is too inexact to compare others with


class ClockStepped(Exception):
    """The database's clock has stepped, so that what was decided by it must be rolled back."""


class ClockWatch:
    """The last reading of the database's clock, with which the next one is compared."""

    def __init__(self) -> None:
        self._last: ClockReading | None = None
        self._noted_at = float("-inf")
        self._pulled_at = 0.0  # the sum of the steps when `_pull_times` was last called

    def follow(self, db: Database, worker_id: UUID) -> bool:
        """Read the clock and handle a step; return False if it has stepped, so that it must be read again."""
        with db.statement() as conn:
            now = control.read_clock(conn)
            stepped = self._find_step(conn, now) is not None
        if stepped:
            self._handle_step(db, worker_id)
            return False
        self._note(db, worker_id, now)
        self._keep(now)
        if now.shifted != self._pulled_at:
            # Every worker does this, in case the one that noticed the step was killed.
            _pull_times(db)
            self._pulled_at = now.shifted
        return True

    def check(self, conn: Connection) -> None:
        """Raise ClockStepped if the clock has stepped since the last reading."""
        if self._last is not None and control.find_step(self._last, control.read_clock(conn)):
            raise ClockStepped

    def _find_step(self, conn: Connection, now: ClockReading) -> ClockStep | None:
        if self._last is None:
            return control.find_step_before(control.find_newest_heartbeat(conn), now)
        return control.find_step(self._last, now)

    def _handle_step(self, db: Database, worker_id: UUID) -> None:
        """Shift the stored times, unless another worker does or has done so."""
        with db.transaction() as conn:
            if not control.lock_clock(conn):
                return
            now = control.read_clock(conn)
            step = self._find_step(conn, now)
            if step is None:
                return
            if refuted := control.is_refuted(conn, worker_id, step):
                shifted = now.shifted
            else:
                control.shift_queue_times(conn, worker_id, step)
                shift_store_times(conn, step.seconds, step.since, step.until)
                shifted = now.shifted + step.seconds
        self._last = replace(now, shifted=shifted)
        name = "clock_of_host_stood_still" if refuted else "database_clock_stepped"
        log.warn(name, seconds=round(step.seconds, 1), worker=worker_id)

    def _keep(self, now: ClockReading) -> None:
        if self._last is None or now.received - now.sent <= _MAX_READING:
            self._last = now

    def _note(self, db: Database, worker_id: UUID, now: ClockReading) -> None:
        if self._last is not None and now.received >= self._noted_at + _NOTE_INTERVAL:
            self._noted_at = now.received
            # If another transaction has locked the row of the worker, its work must go on nevertheless.
            with suppress(Locked), db.statement() as conn:
                control.note_reading(conn, worker_id, now)


def _pull_times(db: Database) -> None:
    """Move times of pending jobs and documents out of the future, batch by batch, to hold row locks briefly."""
    for pull in (control.pull_pending_jobs, pull_documents):
        more = True
        while more:
            with db.transaction() as conn:
                more = pull(conn)
