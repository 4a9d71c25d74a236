"""Four workers of different fortunes, and a hand that feeds them and replaces the fallen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from psycopg.conninfo import make_conninfo

from docyard import queue
from docyard.model.jobs import NewJob
from tests.chaos.instruments.proxy import Proxy
from tests.chaos.mix import HARMFUL, LIMITED, MAIN, STALLING, Size
from tests.chaos.scene import ROOT, Scene, address_of, wait_for

LEASE = 2.5
HOUR = 3600.0
_MEAL = 200
_PRESENT = (
    "SELECT id FROM workers w WHERE pid = %(pid)s AND state = 'alive' AND NOT id = ANY (%(but)s)"
    " AND (%(pool)s::text IS NULL"
    " OR EXISTS (SELECT FROM jobs j WHERE j.worker_id = w.id AND j.pool = %(pool)s))"
)


@dataclass(frozen=True, slots=True)
class Role:
    """One place in the crew."""

    name: str
    pools: tuple[str, ...]
    seconds_off: float = 0.0
    through_proxy: bool = False


# Harm is done to one, stalls happen to one that nobody kills, so that each disaster meets what it needs.
MORTAL = Role("mortal", (MAIN, LIMITED, HARMFUL))
SLEEPER = Role("sleeper", (MAIN, LIMITED))
DISTANT = Role("distant", (MAIN, LIMITED), through_proxy=True)
TIMELESS = Role("timeless", (MAIN, LIMITED, STALLING), seconds_off=HOUR)
ROLES = (MORTAL, SLEEPER, DISTANT, TIMELESS)


@dataclass
class Crew:
    """The workers of one scene and the jobs that are still to come."""

    scene: Scene
    size: Size
    proxy: Proxy
    to_come: list[NewJob]
    fed: list[UUID] = field(default_factory=list)
    workers: dict[Role, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, role: Role) -> None:
        """Start the worker of a role, or a new one in place of the old."""
        options = [
            "--slots",
            str(self.size.slots),
            "--stages",
            ",".join(role.pools),
            "--poll-interval",
            "0.3",
        ]
        with (self.scene.home / f"{role.name}.log").open("ab") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.chaos.crew_worker", str(role.seconds_off), *options],
                env={**os.environ, "DOCYARD_HOME": str(self.scene.home), **self._environ(role)},
                cwd=ROOT,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.scene.processes.append(process)
        self.workers[role] = process

    def until(self, condition: Callable[[], Any], what: str) -> Any:
        """Wait for something while the workers are fed and the fallen are replaced."""

        def tended() -> Any:
            self._tend()
            return condition()

        return wait_for(tended, what, self.size.patience)

    def alive(self, role: Role, *but: UUID) -> UUID:
        """The present id of a role's worker, once it has one."""
        found: UUID = self.until(lambda: self._present(role, but), f"{role.name} to be alive")
        return found

    def holding(self, role: Role, pool: str = MAIN) -> UUID:
        """The same, once it holds a job of that pool."""
        found: UUID = self.until(lambda: self._present(role, (), pool), f"{role.name} to be at work")
        return found

    def strike(self, role: Role, *signals: signal.Signals) -> None:
        """Send signals to the worker of a role."""
        for number in signals:
            self.workers[role].send_signal(number)

    def feed(self, count: int) -> None:
        """Enqueue the next jobs."""
        self.enqueue(self.to_come[:count])
        self.to_come = self.to_come[count:]

    def enqueue(self, jobs: list[NewJob]) -> None:
        """Enqueue jobs, and remember them."""
        with self.scene.db.transaction() as conn:
            fed = queue.enqueue(conn, jobs)
        self.fed += fed

    def pending(self) -> int:
        """How many jobs of the main pool wait."""
        found = self.scene.row(
            "SELECT count(*) AS n FROM jobs WHERE state = 'pending' AND pool = %(p)s", p=MAIN
        )
        return int(found["n"])

    def _present(self, role: Role, but: tuple[UUID, ...], pool: str | None = None) -> UUID | None:
        given = {"pid": self.workers[role].pid, "but": list(but), "pool": pool}
        return self.scene.row(_PRESENT, **given).get("id")

    def _tend(self) -> None:
        for role, process in list(self.workers.items()):
            if process.poll() is not None:
                self.start(role)
        if self.to_come and self.pending() < self.size.backlog:
            self.feed(_MEAL)

    def _environ(self, role: Role) -> dict[str, str]:
        environ = {"DOCYARD_LEASE_SECONDS": str(LEASE)}
        if role.through_proxy:
            address = address_of(self.scene.home).conninfo()
            environ["DOCYARD_DATABASE_URL"] = make_conninfo(address, port=self.proxy.port)
        return environ
