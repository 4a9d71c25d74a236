"""The main loop of a worker: claim jobs for free slots and run them, until it is asked to stop."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import psycopg

from docyard import clock, log, queue
from docyard.errors import Locked, Unavailable
from docyard.ids import new_worker_id
from docyard.model.connections import is_connection_pool
from docyard.model.jobs import Lease, Worker
from docyard.pipeline.run import Pipeline
from docyard.queue import control
from docyard.worker.blocker_watch import watch_blockers
from docyard.worker.clock_watch import ClockWatch
from docyard.worker.execution import execute
from docyard.worker.heartbeat import Heartbeat
from docyard.worker.leases import Leases, put_back
from docyard.worker.listener import Listener
from docyard.worker.options import WorkerOptions, select_pools
from docyard.worker.served_pools import is_enrichment, refresh_pools, sort_enrichment_last
from docyard.worker.settlements import Settlement, SettlementQueue
from docyard.worker.slots import Slots
from docyard.worker.stop_request import StopRequest
from docyard.worker.upkeep import Upkeep

_SECOND_CHECK_AFTER = queue.NOTIFY_INTERVAL_SECONDS + 0.01
_SKIP_LOCKED_POOL_SECONDS = 10.0  # claims from other pools do not wait for it meanwhile
_DRAIN_CHECK_SECONDS = 0.5
_BUSY_POOLS_SECONDS = 0.05  # how long the list of pools with work is used before it is read again


class WorkerSession:
    """The life of one worker id, from registration to sign-off or loss; after a loss a new id is used."""

    def __init__(
        self,
        pipeline: Pipeline,
        options: WorkerOptions,
        pools: tuple[str, ...],
        stopping: StopRequest,
        watch: ClockWatch,
    ) -> None:
        self._pipeline = pipeline
        self._options = options
        self._pools = list(pools)
        self._stopping = stopping
        self._watch = watch
        self._wake = stopping.wake
        self._lost = False
        self._aborting = threading.Event()  # set when the leases were lost or returned, so that the jobs must end
        self._notified_at = float("-inf")
        self._busy_pools: set[str] = set()
        self._locked_until: dict[str, float] = {}
        self._refresh_at = float("-inf")
        self.claimed = 0
        self.id = new_worker_id()
        self._leases = Leases(pipeline, self.id)
        count_leases = self._leases.__len__
        self._settlements = SettlementQueue(pipeline.db, count_leases, self._release, self._aborting)

    def run(self, limit: int) -> None:
        """Run jobs until the worker is stopped or lost, or `limit` jobs were claimed (0 means no limit)."""
        options = self._options
        self._register()
        end_process = self._stopping.end_process
        heartbeat = Heartbeat(self._pipeline.db, self.id, options.lease_seconds, self._on_lost, end_process)
        listener = Listener(self._pipeline.db, self._on_notice)
        upkeep = Upkeep(self._pipeline, self.id, options, self._check_worker, watch=self._watch)
        heartbeat.start()
        listener.start()
        self._settlements.start()
        slots = Slots(options.slot_count, options.llm_slots, self._run_job)
        try:
            self._loop(slots, heartbeat, upkeep, limit)
            self._drain(heartbeat)
        finally:
            slots.close()
            self._settlements.close()
            listener.stop()
            heartbeat.stop()
            self._sign_off()

    @property
    def lost(self) -> bool:
        """Whether the leases were lost, so that the worker must register under a new id."""
        return self._lost

    def _register(self) -> None:
        options = self._options
        worker = Worker(
            self.id, socket.gethostname(), os.getpid(), tuple(self._pools), options.slot_count, options.lease_seconds
        )
        with self._pipeline.db.transaction() as conn:
            queue.register(conn, worker)
        log.event("worker_started", worker=self.id, pools=",".join(self._pools), slots=options.slot_count)

    def _loop(self, slots: Slots, heartbeat: Heartbeat, upkeep: Upkeep, limit: int) -> None:
        while not self._stopping.draining and not self.lost:
            self._wake.clear()
            pause = self._options.poll_interval
            try:
                pause = min(pause, upkeep.run_due())
                count = self._claim_round(slots, limit) if heartbeat.is_healthy else 0
                heartbeat.note_progress()
            except Locked as error:  # the server answers, so the connections are good
                log.warn("worker_pauses", error=str(error))
                count, pause = 0, 1.0
                heartbeat.note_progress()
            except (Unavailable, psycopg.Error, OSError) as error:
                log.warn("worker_pauses", error=f"{type(error).__name__}: {error}".strip())
                count, pause = 0, 1.0
            if self._is_done(limit):
                return
            if not count:
                self._wake.wait(min(pause, self._seconds_until_second_check(pause)))

    def _check_worker(self) -> None:
        self._leases.reconcile()
        self._pools = refresh_pools(self._pipeline.db, self.id, self._options, self._pools)

    def _is_done(self, limit: int) -> bool:
        return self._options.single_run or 0 < limit <= self.claimed

    def _claim_round(self, slots: Slots, limit: int) -> int:
        if self._count_free(limit) < 1 and not (self._serves_llm_pools() and self._count_free(limit, llm=True) > 0):
            return 0
        fresh = self._refresh_busy_pools()
        count = self._claim_from_busy(slots, limit)
        if count or fresh:
            return count
        # The list of busy pools was stale: read it again before concluding that there is no work.
        self._refresh_at = float("-inf")
        self._refresh_busy_pools()
        return self._claim_from_busy(slots, limit)

    def _refresh_busy_pools(self) -> bool:
        """Read which pools have pending jobs; return False if they were already read in the last 50 ms."""
        if clock.monotonic() < self._refresh_at:
            return False
        with self._pipeline.db.statement() as conn:
            self._busy_pools = set(queue.find_pools_with_jobs(conn, self._pools))
        self._refresh_at = clock.monotonic() + _BUSY_POOLS_SECONDS
        return True

    def _claim_from_busy(self, slots: Slots, limit: int) -> int:
        count = 0
        # Rotate the order of the pools, so that no pool starves.
        self._pools.append(self._pools.pop(0))
        for pool in sort_enrichment_last(pool for pool in self._pools if self._may_claim(pool)):
            room = self._count_free(limit, llm=is_connection_pool(pool)) - (1 if self._reserves_slot(pool) else 0)
            count += self._claim(slots, pool, min(room, self._options.batch_size or room))
        return count

    def _may_claim(self, pool: str) -> bool:
        return pool in self._busy_pools and self._locked_until.get(pool, 0.0) <= clock.monotonic()

    def _reserves_slot(self, pool: str) -> bool:
        """Return whether one slot must stay free for other pools, because enrichment jobs may take long."""
        return is_enrichment(pool) and self._options.slot_count > 1 and not all(map(is_enrichment, self._pools))

    def _claim(self, slots: Slots, pool: str, limit: int) -> int:
        if limit < 1 or self._stopping.draining:
            return 0
        try:
            with self._pipeline.db.statement() as conn:
                leases = queue.claim(conn, pool, self.id, limit)
        except Locked:
            log.warn("pool_locked", pool=pool)
            self._locked_until[pool] = clock.monotonic() + _SKIP_LOCKED_POOL_SECONDS
            return 0
        for lease in leases:
            self._start(slots, lease)
        self.claimed += len(leases)
        return len(leases)

    def _start(self, slots: Slots, lease: Lease) -> None:
        self._leases.add(lease)
        log.debug("job_claimed", job=lease.job_id, document=lease.document_id, tier=lease.tier.label)
        slots.start(lease)

    def _run_job(self, lease: Lease) -> None:
        """Run a job and hand it over for settlement, unless its handler has settled it or its rows are locked."""
        settlement = None
        try:
            settlement = execute(self._pipeline, lease, self._aborting)
        except Locked:
            put_back(self._pipeline.db, lease)
        if settlement is None or self._was_returned(settlement):
            self._release([lease])
        else:
            self._settlements.add(settlement)

    def _was_returned(self, settlement: Settlement) -> bool:
        """Return whether a job was aborted after its return; if it was locked then, the reaper returns it."""
        failure = settlement.failure
        return self._stopping.immediate and failure is not None and failure.category == "worker_lost"

    def _release(self, leases: Sequence[Lease]) -> None:
        self._leases.drop(leases)
        self._wake.set()

    def _serves_llm_pools(self) -> bool:
        return any(map(is_connection_pool, self._pools))

    def _count_free(self, limit: int, *, llm: bool = False) -> int:
        """Return the number of free slots (for LLM calls if `llm`); `limit` caps all claims together."""
        calling = self._leases.count_llm_leases()
        computing = len(self._leases) - calling
        free = self._options.llm_slots - calling if llm else self._options.slot_count - computing
        return min(free, limit - self.claimed) if limit else free

    def _drain(self, heartbeat: Heartbeat) -> None:
        """Wait for running jobs; abort them after a loss, or return and abort them if it takes too long."""
        self._try_on_database(self._mark_draining)
        while not self._stopping.immediate and not self.lost:
            heartbeat.note_progress()
            self._wake.clear()
            if self._return_strays() and not self._leases:
                break
            self._wake.wait(_DRAIN_CHECK_SECONDS)
        if self._stopping.immediate:
            self._try_on_database(self._leases.return_all)
            self._aborting.set()
        self._leases.abort()

    def _return_strays(self) -> bool:
        """Return leases that exist only in the database; return False if a lock prevents that and may end in time."""
        try:
            return self._leases.return_all_strays() or not self._stopping.draining
        except Locked as error:
            log.warn("leases_not_returned_yet", worker=self.id, error=str(error))
            return not self._stopping.draining
        except (Unavailable, psycopg.Error) as error:
            log.warn("leases_not_returned", worker=self.id, error=str(error).strip())
            return True

    def _on_notice(self) -> None:
        self._notified_at = clock.monotonic()
        self._wake.set()

    def _seconds_until_second_check(self, otherwise: float) -> float:
        """Return the seconds until the second check after a notification, or `otherwise` if none is pending.

        Enqueuing sends at most one notification per interval; this check finds jobs enqueued without one.
        """
        remaining = self._notified_at + _SECOND_CHECK_AFTER - clock.monotonic()
        return remaining if remaining > 0 else otherwise

    def _on_lost(self) -> None:
        self._lost = True
        self._aborting.set()
        self._leases.abort()
        self._wake.set()

    def _mark_draining(self) -> None:
        with self._pipeline.db.transaction() as conn:
            queue.start_draining(conn, self.id)

    def _sign_off(self) -> None:
        self._try_on_database(self._unregister)
        log.event("worker_stopped", worker=self.id, jobs=self.claimed, lost=self.lost)

    def _unregister(self) -> None:
        with self._pipeline.db.transaction() as conn:
            queue.stop_worker(conn, self.id, lost=self.lost)

    def _try_on_database(self, act: Callable[[], None]) -> None:
        try:
            act()
        except (Unavailable, psycopg.Error) as error:
            # Harmless: the leases expire and other workers take over.
            log.warn("worker_exit_not_recorded", worker=self.id, error=str(error).strip())


def run_worker(pipeline: Pipeline, options: WorkerOptions, stopping: StopRequest) -> int:
    """Run a worker until it stops, with a new id after every loss; return the number of jobs claimed."""
    with watch_blockers(pipeline.db):
        return _run_sessions(pipeline, options, stopping)


def _run_sessions(pipeline: Pipeline, options: WorkerOptions, stopping: StopRequest) -> int:
    with pipeline.db.transaction() as conn:
        pools = select_pools(options, control.get_pool_resources(conn))
    pipeline = replace(pipeline, is_stopping=lambda: stopping.draining)
    claimed, watch = 0, ClockWatch()
    while not stopping.draining and (not options.max_docs or claimed < options.max_docs):
        session = WorkerSession(pipeline, options, pools, stopping, watch)
        try:
            session.run(max(0, options.max_docs - claimed))
        except (Unavailable, psycopg.Error) as error:
            log.warn("worker_pauses", error=f"{type(error).__name__}: {error}".strip())
            stopping.wake.wait(1.0)
        else:
            if not session.lost:
                return claimed + session.claimed
        claimed += session.claimed
    return claimed
