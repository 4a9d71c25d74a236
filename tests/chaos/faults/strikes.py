"""The faults of the fault run: each is a context that causes a fault and removes it at the end."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from uuid import UUID

import psycopg
from psycopg.conninfo import make_conninfo

from tests.chaos.installation import ChaosInstallation
from tests.chaos.instruments.proxy import Proxy
from tests.worker.clock.stepped_server import SteppedServer

HOUR = 3600.0
_TAKE_LOCKS = (
    "UPDATE source_documents SET original_file_name = original_file_name || '.' WHERE document_uuid = ANY (%s)",
    "SELECT FROM documents WHERE id = ANY (%s) FOR UPDATE",
)


@dataclass
class Targets:
    """What the faults act on: the installation with its store, the server, and two workers, one behind a proxy."""

    scene: ChaosInstallation
    server: SteppedServer
    proxy: Proxy
    worker: subprocess.Popen[bytes]
    distant_worker: subprocess.Popen[bytes]


@contextmanager
def open_transaction(scene: ChaosInstallation, documents: list[UUID]) -> Iterator[int]:
    """Hold locks on documents in an open transaction, as an operator who left psql open; yield its process id."""
    address = make_conninfo(scene.environ["DOCYARD_DATABASE_URL"], application_name="psql")
    with psycopg.connect(address) as conn:
        half = len(documents) // 2
        for statement, chosen in zip(_TAKE_LOCKS, (documents[:half], documents[half:]), strict=True):
            conn.execute(statement, (chosen,))
        yield conn.info.backend_pid
        conn.rollback()


@contextmanager
def silence_connections(targets: Targets) -> Iterator[None]:
    """Let the existing connections of the other worker, which uses the proxy, fall silent without closing them."""
    targets.proxy.fall_silent(new_ones_too=False)
    yield


@contextmanager
def take_store_away(targets: Targets) -> Iterator[None]:
    """Replace the store by an empty folder, as an unmounted share does."""
    store = targets.scene.home / "blobs"
    away = store.with_name("blobs.away")
    store.rename(away)
    store.mkdir()
    yield
    store.rmdir()
    away.rename(store)


@contextmanager
def step_back(targets: Targets) -> Iterator[None]:
    """Step the clock of the database back by an hour, and forward again."""
    targets.server.set_clock(-HOUR)
    yield
    targets.server.set_clock(0)


@contextmanager
def suspend_worker(targets: Targets) -> Iterator[None]:
    """Suspend a worker for longer than its lease."""
    targets.worker.send_signal(signal.SIGSTOP)
    yield
    targets.worker.send_signal(signal.SIGCONT)


@contextmanager
def kill_worker(targets: Targets) -> Iterator[None]:
    """Kill a worker and start another one."""
    targets.worker.kill()
    targets.worker.wait(10)
    yield
    targets.worker = targets.scene.start_worker(slots=2)


@contextmanager
def kill_database(targets: Targets) -> Iterator[None]:
    """Crash the database server, and start it again."""
    targets.server.crash()
    yield
    targets.server.start()


@contextmanager
def suspend_all_workers(targets: Targets) -> Iterator[None]:
    """Suspend both workers."""
    workers = (targets.worker, targets.distant_worker)
    for one in workers:
        one.send_signal(signal.SIGSTOP)
    yield
    for one in workers:
        one.send_signal(signal.SIGCONT)


@contextmanager
def lock_queue(targets: Targets) -> Iterator[None]:
    """Lock the whole queue, as a careless schema change does."""
    with psycopg.connect(targets.server.conninfo(), application_name="psql") as conn:
        conn.execute("LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE")
        yield
        conn.rollback()


Act = Callable[[Targets], AbstractContextManager[None]]


@dataclass(frozen=True)
class Strike:
    """A fault, and a pattern of the words that must name it if no document ends while it lasts."""

    act: Act
    cause: str = ""


STRIKES: tuple[Strike, ...] = tuple(
    map(Strike, (silence_connections, take_store_away, suspend_worker, step_back, kill_worker, kill_database))
)
# While these last, no document of any workspace can end.
OUTAGES: tuple[Strike, ...] = (
    Strike(suspend_all_workers, "no worker is running"),
    Strike(lock_queue, r"locks on .*\bjobs\b"),
)
