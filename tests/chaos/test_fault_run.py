"""A run under faults: other workspaces do not wait, and operators can always read why work does not progress."""

from __future__ import annotations

import itertools
import logging
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

import httpx
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from docyard.errors import DocyardError
from docyard.store.users import get_or_create_workspace
from tests.chaos.faults.operations import open_operations, read_operations
from tests.chaos.faults.strikes import OUTAGES, STRIKES, Strike, Targets, open_transaction
from tests.chaos.faults.witness import Witness, read_doctor
from tests.chaos.installation import ChaosInstallation, wait_for
from tests.chaos.instruments.proxy import Proxy
from tests.worker.clock.stepped_server import SteppedServer

pytestmark = pytest.mark.chaos
_LOG = logging.getLogger(__name__)

LEASE = 10.0
LONGEST_WAIT = 60.0
LOCKED = 6


@dataclass(frozen=True)
class Plan:
    """How often each fault occurs, and seconds: of a fault, after each, and between two arrivals."""

    rounds: int
    fault: float
    rest: float
    between_arrivals: float
    outages: bool


HALF = len(STRIKES) // 2
SHORT = Plan(rounds=1, fault=4, rest=2, between_arrivals=1.5, outages=False)
LONG = Plan(rounds=3, fault=8, rest=12, between_arrivals=1.5, outages=True)


@pytest.mark.timeout(600)
def test_a_minute_under_faults(stepped_scene: tuple[ChaosInstallation, SteppedServer]) -> None:
    _run(*stepped_scene, SHORT)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_ten_minutes_under_faults(stepped_scene: tuple[ChaosInstallation, SteppedServer]) -> None:
    _run(*stepped_scene, LONG)


def _run(scene: ChaosInstallation, server: SteppedServer, plan: Plan) -> None:
    scene.environ["DOCYARD_LEASE_SECONDS"] = str(LEASE)
    with scene.db.transaction() as conn:
        quiet, disturbed = (get_or_create_workspace(conn, name) for name in ("Quiet", "Disturbed"))
    with Proxy(lambda: server.port) as proxy, open_operations(scene) as client:
        witness = Witness(scene, lambda: read_operations(client))
        witness.start()
        targets = _start_workers(scene, server, proxy)
        with _arrivals(scene, witness, plan, (quiet, disturbed)):
            undisturbed = _measure_undisturbed(witness, quiet)
            _strike_all(targets, witness, plan, disturbed, client)
        wait_for(lambda: not witness.find_open(), "every document to end")
        witness.stop()
    _check(scene, witness, quiet, max(LONGEST_WAIT, 10 * undisturbed))


def _start_workers(scene: ChaosInstallation, server: SteppedServer, proxy: Proxy) -> Targets:
    scene.environ["DOCYARD_DATABASE_URL"] = make_conninfo(server.conninfo(), port=proxy.port)
    distant = scene.start_worker(slots=2)
    scene.environ["DOCYARD_DATABASE_URL"] = server.conninfo()
    return Targets(scene, server, proxy, scene.start_worker(slots=2), distant)


@contextmanager
def _arrivals(scene: ChaosInstallation, witness: Witness, plan: Plan, workspaces: tuple[UUID, UUID]) -> Iterator[None]:
    """Add documents to both workspaces in turn until the end of the context."""
    stop = threading.Event()

    def add_documents() -> None:
        for number, workspace in zip(itertools.count(), itertools.cycle(workspaces)):
            if stop.wait(plan.between_arrivals):
                return
            try:
                document = scene.add(f"note-{number}.txt", f"Note {number} of the run.".encode(), workspace=workspace)
            except (DocyardError, psycopg.Error, OSError):
                continue  # the sender gets an error, and sends the document again later
            witness.note_arrival(document, workspace)

    thread = threading.Thread(target=add_documents, name="arrivals", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _measure_undisturbed(witness: Witness, quiet: UUID) -> float:
    """Return the longest wait without faults, which shows how busy this machine is."""
    wait_for(lambda: witness.list_ended(quiet), "the workers")
    before = set(witness.arrivals)
    wait_for(lambda: len([one for one in witness.list_ended(quiet) if one.document not in before]) >= 3, "documents")
    return max(one.wait for one in witness.list_ended(quiet) if one.document not in before)


def _strike_all(targets: Targets, witness: Witness, plan: Plan, disturbed: UUID, client: httpx.Client) -> None:
    """Cause the faults in turn; during the first half of each round, a transaction also holds locks."""
    for _ in range(plan.rounds):
        with _hold_locks(targets.scene, witness, disturbed) as pid:
            _strike_each(targets, witness, STRIKES[:HALF], plan)
            wait_for(lambda: _is_named(pid, read_doctor(targets.scene)), "doctor to name the blocker")
            wait_for(lambda: _is_named(pid, read_operations(client)), "Operations to name the blocker")
        _strike_each(targets, witness, STRIKES[HALF:], plan)
        for outage in OUTAGES if plan.outages else ():
            _add_documents(targets.scene, witness, disturbed, outage.act.__name__)
            _strike_until_named(targets, witness, outage)
            _wait_for_delayed(witness, plan.rest)


def _wait_for_delayed(witness: Witness, seconds: float) -> None:
    """Wait until all documents that have waited for some seconds have ended, so that no outage follows another."""
    delayed = {one.document for one in witness.find_open() if one.wait > seconds}
    wait_for(lambda: delayed.isdisjoint(one.document for one in witness.find_open()), "the delayed documents")


def _strike_each(targets: Targets, witness: Witness, strikes: Sequence[Strike], plan: Plan) -> None:
    for strike in strikes:
        with strike.act(targets), witness.note_fault(strike):
            time.sleep(plan.fault)
        time.sleep(plan.rest)


def _strike_until_named(targets: Targets, witness: Witness, outage: Strike) -> None:
    """Cause an outage that lasts until operators have read its cause."""
    before = len(witness.standstills)
    with outage.act(targets), witness.note_fault(outage):
        wait_for(lambda: len(witness.standstills) > before, "a standstill")


@contextmanager
def _hold_locks(scene: ChaosInstallation, witness: Witness, disturbed: UUID) -> Iterator[int]:
    """Add documents and lock them, whether a worker has claimed them yet or not."""
    with open_transaction(scene, _add_documents(scene, witness, disturbed, "locked")) as pid:
        yield pid


def _add_documents(scene: ChaosInstallation, witness: Witness, workspace: UUID, name: str) -> list[UUID]:
    """Add documents that are still open for a moment, even if no more can be added then."""
    added = []
    for number in range(LOCKED):
        added.append(scene.add(f"{name}-{number}.txt", f"Note {number}, {name}.".encode(), workspace=workspace))
        witness.note_arrival(added[-1], workspace)
    return added


def _is_named(pid: int, words: list[str]) -> bool:
    return any(re.search(rf"\b{pid}\b", one) for one in words)


def _check(scene: ChaosInstallation, witness: Witness, quiet: UUID, longest: float) -> None:
    waits = [one.wait for one in witness.list_ended(quiet)]
    _LOG.info(
        "%d documents, %d of them quiet; longest wait %.1f s; causes read while no document ended: %s",
        len(witness.arrivals),
        len(waits),
        max(waits),
        witness.standstills,
    )
    assert max(waits) <= longest
    assert witness.rounds > 0
    assert [one for one in witness.standstills if not one.is_explained] == []
    scene.check_each_ended_once(list(witness.arrivals))
