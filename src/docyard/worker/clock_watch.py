"""The watch over the database's clock: a step of it is handled before a duty compares stored times with it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from uuid import UUID

from docyard import log
from docyard.db import Connection, Database
from docyard.errors import Locked
from docyard.queue import control
from docyard.queue.control import ClockReading, ClockStep, shifts
from docyard.store import shifted_times

# Seconds:
_NOTE_INTERVAL = 5.0
_MAX_READING = 1.0  # a reading that took longer is too inexact to compare others with
_MAX_LOCK_WAIT = 5.0  # how long duties wait for rows that another transaction has locked
# Claims wait for pools and heartbeats for workers, so those are locked last.
_PULLS = {**shifts.PULLS, **shifted_times.PULLS}
_PARTS = {**_PULLS, **shifted_times.SHIFTS, **shifts.SHIFTS}


class ClockStepped(Exception):
    """The database's clock has stepped, so that what was decided by it must be rolled back."""


class ClockWatch:
    """The last reading of the database's clock, and an earlier one; the next one is compared with both."""

    def __init__(self) -> None:
        self._last: ClockReading | None = None
        self._anchor: ClockReading | None = None
        self._shifted = 0.0  # the sum of the steps at the last call of `follow`
        self._noted_at = float("-inf")
        self.is_shifting = False  # whether the last call of `follow` shifted times and left some to the next

    def follow(self, db: Database, worker_id: UUID) -> bool:
        """Read the clock and handle a step; return False if duties must wait because times are not shifted yet."""
        with db.statement() as conn:
            now = control.read_clock(conn)
            stepped = self._find_step(conn, now) is not None
        if stepped:
            self._handle_step(db, worker_id)
            return False
        self._note(db, worker_id, now)
        self._keep(now)
        self._shifted = now.shifted
        self.is_shifting = False
        return now.is_shifted or self._continue_shifts(db)

    def check(self, conn: Connection) -> None:
        """Raise ClockStepped if the clock has stepped since the last reading, or another worker has shifted times."""
        now = control.read_clock(conn)
        if now.shifted != self._shifted or (self._last is not None and control.find_step(self._last, now)):
            raise ClockStepped

    def _find_step(self, conn: Connection, now: ClockReading) -> ClockStep | None:
        if self._last is None:
            return control.find_step_before(control.find_newest_heartbeat(conn), now)
        return self._compare(now)

    def _compare(self, now: ClockReading) -> ClockStep | None:
        """Return the step since the last reading, or one that small steps since the anchor add up to."""
        if self._last is None or self._anchor is None:
            return None
        return control.find_step(self._last, now) or control.find_step(self._anchor, now)

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
                control.begin_shift(conn, worker_id, step, _PARTS)
                control.continue_shifts(conn, _PARTS)
                shifted = now.shifted + step.seconds
        self._last = self._anchor = replace(now, shifted=shifted)
        name = "clock_of_host_stood_still" if refuted else "database_clock_stepped"
        log.warn(name, seconds=round(step.seconds, 1), worker=worker_id)

    def _continue_shifts(self, db: Database) -> bool:
        """Shift what an earlier round has left; return False if duties must wait for more."""
        with db.transaction() as conn:
            if not control.lock_clock(conn):
                return False
            left = control.continue_shifts(conn, _PARTS)
        self.is_shifting = any(progress for _, progress in left)
        # A row that stays locked does not stop the fleet. Its holder is reported as a blocker.
        return not any(
            each.part not in _PULLS and (progress or 0 <= each.age < _MAX_LOCK_WAIT) for each, progress in left
        )

    def _keep(self, now: ClockReading) -> None:
        if self._last is None or self._anchor is None:
            self._last = self._anchor = now
        elif now.received - now.sent <= _MAX_READING:
            self._anchor = control.move_anchor(self._anchor, self._last, now)
            self._last = now

    def _note(self, db: Database, worker_id: UUID, now: ClockReading) -> None:
        if self._last is not None and now.received >= self._noted_at + _NOTE_INTERVAL:
            self._noted_at = now.received
            # If another transaction has locked the row of the worker, its work must go on nevertheless.
            with suppress(Locked), db.statement() as conn:
                control.note_reading(conn, worker_id, now)
