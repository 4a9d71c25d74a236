"""A witness of the fault run: it notes how long documents wait, and what operators read if no document ends."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

import psycopg

from docyard.errors import DocyardError
from tests.chaos.faults.strikes import Strike
from tests.chaos.installation import ROOT, ChaosInstallation

STANDSTILL = 30.0  # seconds without an ended document, after which the cause must be named
# Other words, such as those about a port or an earlier step of the clock, explain no standstill.
_ANY_CAUSE = "no worker is running|main loop|locks on|circuit breaker|none was started|file store|cannot be reached"
_PERIOD = 0.5
_FIND_ENDED = "SELECT id FROM documents WHERE id = ANY (%(ids)s) AND status IN ('completed', 'failed', 'cancelled')"


@dataclass
class Arrival:
    """A document of the run; times are those of this process, because the database's clock is stepped."""

    document: UUID
    workspace: UUID
    at: float
    ended_at: float | None = None

    @property
    def wait(self) -> float:
        """Seconds from arrival to the end, or until now."""
        return (self.ended_at or time.monotonic()) - self.at


@dataclass(frozen=True)
class Standstill:
    """What operators read while no document ended although some waited, and the fault that lasted meanwhile."""

    seconds: float
    fault: Strike | None
    doctor: list[str]
    operations: list[str]

    @property
    def is_explained(self) -> bool:
        """Whether both doctor and Operations name the fault, or another cause if it has none."""
        cause = (self.fault and self.fault.cause) or _ANY_CAUSE
        return all(any(re.search(cause, one) for one in words) for words in (self.doctor, self.operations))


@dataclass
class Witness:
    """A thread that follows the documents of a run."""

    scene: ChaosInstallation
    read_operations: Callable[[], list[str]]
    arrivals: dict[UUID, Arrival] = field(default_factory=dict)
    standstills: list[Standstill] = field(default_factory=list)
    rounds: int = 0
    _fault: Strike | None = None
    _last_end: float = field(default_factory=time.monotonic)
    _fault_end: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stop: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        """Start the thread."""
        threading.Thread(target=self._run, name="witness", daemon=True).start()

    def stop(self) -> None:
        """Stop the thread."""
        self._stop.set()

    def note_arrival(self, document: UUID, workspace: UUID) -> None:
        """Note that a document was received now."""
        with self._lock:
            self.arrivals[document] = Arrival(document, workspace, time.monotonic())

    @contextmanager
    def note_fault(self, fault: Strike) -> Iterator[None]:
        """Note that a fault lasts during this context; after it, work has the same time to go on as before."""
        self._fault = fault
        yield
        self._fault, self._fault_end = None, time.monotonic()

    def find_open(self, workspace: UUID | None = None) -> list[Arrival]:
        """Return the documents that have not ended, optionally of one workspace."""
        with self._lock:
            found = list(self.arrivals.values())
        return [one for one in found if one.ended_at is None and workspace in (None, one.workspace)]

    def list_ended(self, workspace: UUID) -> list[Arrival]:
        """Return the documents of a workspace that have ended."""
        with self._lock:
            return [one for one in self.arrivals.values() if one.ended_at is not None and one.workspace == workspace]

    def _run(self) -> None:
        while not self._stop.wait(_PERIOD):
            self._note_ends()
            now = time.monotonic()
            oldest = min((one.at for one in self.find_open()), default=now)
            idle = now - max(self._last_end, self._fault_end, oldest)
            if idle > STANDSTILL:
                self._note_standstill(idle)
            self.rounds += 1

    def _note_standstill(self, seconds: float) -> None:
        """Note what operators read now, unless the fault or the standstill ends while they read."""
        fault, last_end = self._fault, self._last_end
        standstill = Standstill(seconds, fault, read_doctor(self.scene), self.read_operations())
        self._note_ends()
        if (fault, last_end) == (self._fault, self._last_end):
            self.standstills.append(standstill)

    def _note_ends(self) -> None:
        still_open = self.find_open()
        try:
            with self.scene.db.transaction() as conn:
                ended = conn.execute(_FIND_ENDED, {"ids": [one.document for one in still_open]}).fetchall()
        except (DocyardError, psycopg.Error):
            return  # the database is restarting
        now = time.monotonic()
        for row in ended:
            self.arrivals[row["id"]].ended_at = self._last_end = now


def read_doctor(scene: ChaosInstallation) -> list[str]:
    """Return what `docyard doctor` reports as a warning or failure."""
    command = [sys.executable, "-m", "docyard", "doctor", "--json"]
    done = subprocess.run(command, env=scene.make_environ(), cwd=ROOT, capture_output=True, timeout=120, check=False)
    return [one["words"] for one in json.loads(done.stdout) if one["state"] != "ok"]
