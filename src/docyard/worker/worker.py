"""The worker's loop: claim for free slots, run, settle, until told to stop."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import psycopg

from docyard import clock, log, queue
from docyard.errors import Unavailable
from docyard.ids import new_worker_id
from docyard.model.connections import is_connection_pool
from docyard.model.jobs import Lease, Worker
from docyard.pipeline.run import Pipeline
from docyard.queue import control
from docyard.worker.execution import execute
from docyard.worker.heartbeat import Heartbeat
from docyard.worker.holding import Holding
from docyard.worker.listener import Listener
from docyard.worker.options import WorkerOptions, served_pools
from docyard.worker.serving import enrichment_last, is_enrichment, refreshed_pools
from docyard.worker.settlements import Settlements
from docyard.worker.slots import Slots
from docyard.worker.stopping import Stopping
from docyard.worker.upkeep import Upkeep

_SECOND_LOOK_AFTER = queue.NOTICE_EVERY + 0.01
_LOOK_HOLDS = 0.05


class Tour:
    """One worker id from registration to farewell or loss; after a loss the next tour has a new id."""

    def __init__(
        self, pipeline: Pipeline, options: WorkerOptions, pools: tuple[str, ...], stopping: Stopping
    ) -> None:
        self._pipeline = pipeline
        self._options = options
        self._pools = list(pools)
        self._stopping = stopping
        self._wake = stopping.wake
        self._lost = threading.Event()
        self._heard_at = float("-inf")
        self._busy: set[str] = set()
        self._look_again_at = float("-inf")
        self.claimed = 0
        self.id = new_worker_id()
        self._holding = Holding(pipeline, self.id)
        in_hand = self._holding.__len__
        self._settlements = Settlements(pipeline.db, in_hand, self._ended, self._lost)

    def run(self, most: int) -> None:
        """Work until stopped, lost, or `most` jobs are done (0: no bound)."""
        options = self._options
        self._register()
        heartbeat = Heartbeat(self._pipeline.db, self.id, options.lease_seconds, self._lose)
        listener = Listener(self._pipeline.db, self._hear)
        upkeep = Upkeep(self._pipeline, self.id, options, self._look_around)
        heartbeat.start()
        listener.start()
        self._settlements.start()
        slots = Slots(options.slot_count, options.asking, self._run_one)
        try:
            self._loop(slots, heartbeat, upkeep, most)
            self._finish()
        finally:
            slots.close()
            self._settlements.close()
            listener.stop()
            heartbeat.stop()
            self._leave()

    @property
    def lost(self) -> bool:
        """Whether the leases were lost, so that a new tour must begin."""
        return self._lost.is_set()

    def _register(self) -> None:
        options = self._options
        worker = Worker(
            self.id,
            socket.gethostname(),
            os.getpid(),
            tuple(self._pools),
            options.slot_count,
            options.lease_seconds,
        )
        with self._pipeline.db.transaction() as conn:
            queue.register(conn, worker)
        log.event("worker_started", worker=self.id, pools=",".join(self._pools), slots=options.slot_count)

    def _loop(self, slots: Slots, heartbeat: Heartbeat, upkeep: Upkeep, most: int) -> None:
        while not self._stopping.draining and not self.lost:
            self._wake.clear()
            pause = self._options.poll_interval
            try:
                pause = min(pause, upkeep.run_due())
                given = self._claim_round(slots, most) if heartbeat.healthy else 0
            except (Unavailable, psycopg.Error, OSError) as error:
                log.warn("worker_pauses", error=f"{type(error).__name__}: {error}".strip())
                given, pause = 0, 1.0
            if self._enough(most):
                return
            if not given:
                self._wake.wait(min(pause, self._until_second_look(pause)))

    def _look_around(self) -> None:
        self._holding.compare()
        self._pools = refreshed_pools(self._pipeline.db, self.id, self._options, self._pools)

    def _enough(self, most: int) -> bool:
        return self._options.single_run or 0 < most <= self.claimed

    def _claim_round(self, slots: Slots, most: int) -> int:
        if self._free(most) < 1 and not (self._serves_models() and self._free(most, asking=True) > 0):
            return 0
        fresh = self._look()
        given = self._claim_from_busy(slots, most)
        if given or fresh:
            return given
        # What the last look saw is gone; only a new one tells whether there is nothing to do.
        self._look_again_at = float("-inf")
        self._look()
        return self._claim_from_busy(slots, most)

    def _look(self) -> bool:
        """See which pools have work, unless that was just seen; a busy worker asks for every claim else."""
        if clock.monotonic() < self._look_again_at:
            return False
        with self._pipeline.db.statement() as conn:
            self._busy = set(queue.pools_with_work(conn, self._pools))
        self._look_again_at = clock.monotonic() + _LOOK_HOLDS
        return True

    def _claim_from_busy(self, slots: Slots, most: int) -> int:
        given = 0
        # The pool served first now is served last next time, so that none of them starves.
        self._pools.append(self._pools.pop(0))
        for pool in enrichment_last(pool for pool in self._pools if pool in self._busy):
            room = self._free(most, asking=is_connection_pool(pool)) - (
                1 if self._keeps_one_slot(pool) else 0
            )
            given += self._claim(slots, pool, min(room, self._options.batch_size or room))
        return given

    def _keeps_one_slot(self, pool: str) -> bool:
        """Whether a slot must stay free: enrichment may take long, and a document should not wait for it."""
        return (
            is_enrichment(pool) and self._options.slot_count > 1 and not all(map(is_enrichment, self._pools))
        )

    def _claim(self, slots: Slots, pool: str, most: int) -> int:
        if most < 1 or self._stopping.draining:
            return 0
        with self._pipeline.db.statement() as conn:
            leases = queue.claim(conn, pool, self.id, most)
        for lease in leases:
            self._start(slots, lease)
        self.claimed += len(leases)
        return len(leases)

    def _start(self, slots: Slots, lease: Lease) -> None:
        self._holding.add(lease)
        log.debug("job_claimed", job=lease.job_id, document=lease.document_id, tier=lease.tier.label)
        slots.start(lease)

    def _run_one(self, lease: Lease) -> None:
        """Whatever happens, the job is settled, or its lease is lost and others settle it."""
        left = execute(self._pipeline, lease, self._lost)
        if left is None:
            self._ended([lease])
        else:
            self._settlements.add(left)

    def _ended(self, leases: Sequence[Lease]) -> None:
        self._holding.drop(leases)
        self._wake.set()

    def _serves_models(self) -> bool:
        return any(map(is_connection_pool, self._pools))

    def _free(self, most: int, *, asking: bool = False) -> int:
        """Free slots; jobs that wait for a model have their own, and keep none from computing."""
        waiting = self._holding.asking()
        computing = len(self._holding) - waiting
        free = self._options.asking - waiting if asking else self._options.slot_count - computing
        return min(free, most - self.claimed) if most else free

    def _finish(self) -> None:
        """Drain: wait for what runs; on a second signal give it back; after a loss drop it."""
        self._on_database(self._mark_draining)
        while self._holding and not self._stopping.at_once and not self.lost:
            self._wake.clear()
            if self._holding:
                self._wake.wait(0.5)
        if self._holding and self._stopping.at_once:
            self._on_database(self._holding.give_back)
            self._lost.set()
        self._holding.abort()

    def _hear(self) -> None:
        self._heard_at = clock.monotonic()
        self._wake.set()

    def _until_second_look(self, otherwise: float) -> float:
        """Seconds until what was enqueued just after a notice, and not told, should be looked for."""
        left = self._heard_at + _SECOND_LOOK_AFTER - clock.monotonic()
        return left if left > 0 else otherwise

    def _lose(self) -> None:
        self._lost.set()
        self._holding.abort()
        self._wake.set()

    def _mark_draining(self) -> None:
        with self._pipeline.db.transaction() as conn:
            queue.start_draining(conn, self.id)

    def _leave(self) -> None:
        self._on_database(self._say_goodbye)
        log.event("worker_stopped", worker=self.id, jobs=self.claimed, lost=self.lost)

    def _say_goodbye(self) -> None:
        with self._pipeline.db.transaction() as conn:
            queue.leave(conn, self.id)

    def _on_database(self, act: Callable[[], None]) -> None:
        try:
            act()
        except (Unavailable, psycopg.Error) as error:
            # Nothing is lost: the lease runs out and others take over.
            log.warn("farewell_not_heard", worker=self.id, error=str(error).strip())


def run_worker(pipeline: Pipeline, options: WorkerOptions, stopping: Stopping) -> int:
    """Work until asked to stop, under a new id after every loss; gives how many jobs were claimed."""
    with pipeline.db.transaction() as conn:
        pools = served_pools(options, control.pool_resources(conn))
    pipeline = replace(pipeline, stopping=lambda: stopping.draining)
    claimed = 0
    while not stopping.draining and (not options.max_docs or claimed < options.max_docs):
        tour = Tour(pipeline, options, pools, stopping)
        try:
            tour.run(max(0, options.max_docs - claimed))
        except (Unavailable, psycopg.Error) as error:
            log.warn("worker_pauses", error=f"{type(error).__name__}: {error}".strip())
            stopping.wake.wait(1.0)
        else:
            if not tour.lost:
                return claimed + tour.claimed
        claimed += tour.claimed
    return claimed
