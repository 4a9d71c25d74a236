"""The four workers of the chaos run, which are restarted when they end, and the supply of jobs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from psycopg.conninfo import make_conninfo

from docyard import queue
from docyard.model.jobs import NewJob
from tests.chaos.installation import ROOT, ChaosInstallation, get_address, wait_for
from tests.chaos.instruments.proxy import Proxy
from tests.chaos.job_mix import HARMFUL, LIMITED, MAIN, STALLING, Size

LEASE = 2.5
HOUR = 3600.0
_FEED_BATCH = 200
_FIND_WORKER = (
    "SELECT id FROM workers w WHERE pid = %(pid)s AND state = 'alive' AND NOT id = ANY (%(but)s)"
    " AND (%(pool)s::text IS NULL"
    " OR EXISTS (SELECT FROM jobs j WHERE j.worker_id = w.id AND j.pool = %(pool)s))"
)


@dataclass(frozen=True, slots=True)
class Role:
    """A worker's pools, clock error and connection."""

    name: str
    pools: tuple[str, ...]
    seconds_off: float = 0.0
    through_proxy: bool = False


# Harmful jobs run on one worker only. Stalling jobs run on a worker that is never killed, because a late
# result needs a live worker.
MORTAL = Role("mortal", (MAIN, LIMITED, HARMFUL))
SLEEPER = Role("sleeper", (MAIN, LIMITED))
DISTANT = Role("distant", (MAIN, LIMITED), through_proxy=True)
TIMELESS = Role("timeless", (MAIN, LIMITED, STALLING), seconds_off=HOUR)
ROLES = (MORTAL, SLEEPER, DISTANT, TIMELESS)


@dataclass
class WorkerGroup:
    """The workers of an installation, and the jobs that are not enqueued yet."""

    scene: ChaosInstallation
    size: Size
    proxy: Proxy
    remaining_jobs: list[NewJob]
    in_storm: bool = False
    enqueued: list[UUID] = field(default_factory=list)
    workers: dict[Role, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, role: Role) -> None:
        """Start a worker for a role, which replaces the previous one."""
        options = ["--slots", str(self.size.slots), "--stages", ",".join(role.pools), "--poll-interval", "0.3"]
        with (self.scene.home / f"{role.name}.log").open("ab") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.chaos.chaos_worker", str(role.seconds_off), *options],
                env={**os.environ, "DOCYARD_HOME": str(self.scene.home), **self._environ(role)},
                cwd=ROOT,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.scene.processes.append(process)
        self.workers[role] = process

    def wait_until(self, condition: Callable[[], Any], what: str) -> Any:
        """Wait for a condition; meanwhile, enqueue jobs and restart workers that ended."""

        def maintain_and_check() -> Any:
            self._maintain()
            return condition()

        return wait_for(maintain_and_check, what, self.size.patience)

    def wait_until_alive(self, role: Role, *but: UUID) -> UUID:
        """Wait until the worker of a role is registered under an id not in `but`; return the id."""
        found: UUID = self.wait_until(lambda: self._find_worker(role, but), f"{role.name} to be alive")
        return found

    def wait_until_busy(self, role: Role, pool: str = MAIN) -> UUID:
        """Wait until the worker of a role runs a job of this pool; return its id."""
        found: UUID = self.wait_until(lambda: self._find_worker(role, (), pool), f"{role.name} to be at work")
        return found

    def send_signals(self, role: Role, *signals: signal.Signals) -> None:
        """Send signals to the worker of a role."""
        for number in signals:
            self.workers[role].send_signal(number)

    def enqueue_next(self, count: int) -> None:
        """Enqueue the next jobs."""
        nap = self.size.storm_nap if self.in_storm else self.size.nap
        self.enqueue([replace(job, payload={**job.payload, "nap": nap}) for job in self.remaining_jobs[:count]])
        self.remaining_jobs = self.remaining_jobs[count:]

    def enqueue(self, jobs: list[NewJob]) -> None:
        """Enqueue jobs and record their ids."""
        with self.scene.db.transaction() as conn:
            ids = queue.enqueue(conn, jobs)
        self.enqueued += ids

    def pending(self) -> int:
        """Return the number of pending jobs of the main pool."""
        found = self.scene.fetch_row("SELECT count(*) AS n FROM jobs WHERE state = 'pending' AND pool = %(p)s", p=MAIN)
        return int(found["n"])

    def _find_worker(self, role: Role, but: tuple[UUID, ...], pool: str | None = None) -> UUID | None:
        params = {"pid": self.workers[role].pid, "but": list(but), "pool": pool}
        return self.scene.fetch_row(_FIND_WORKER, **params).get("id")

    def _maintain(self) -> None:
        for role, process in list(self.workers.items()):
            if process.poll() is not None:
                self.start(role)
        if self.remaining_jobs and self.pending() < self.size.backlog:
            self.enqueue_next(_FEED_BATCH)

    def _environ(self, role: Role) -> dict[str, str]:
        environ = {"DOCYARD_LEASE_SECONDS": str(LEASE)}
        if role.through_proxy:
            address = get_address(self.scene.home).conninfo()
            environ["DOCYARD_DATABASE_URL"] = make_conninfo(address, port=self.proxy.port)
        return environ
