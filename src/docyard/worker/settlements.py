"""Settlement of finished jobs in batches: one commit per batch, each job accepted or refused separately."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from docyard import clock, log, queue
from docyard.db import Connection, Database, set_lock_timeout
from docyard.errors import Failure, Locked, Retry, Unavailable
from docyard.model.jobs import Completion, Lease
from docyard.pipeline import step as steps
from docyard.worker.leases import put_back

MAX_BATCH_SIZE = 100  # jobs in a batch
LINGER_SECONDS = 0.05  # how long a batch waits for more jobs
_MIN_PAUSE, _MAX_PAUSE = 0.5, 5.0  # seconds between two attempts, doubled each time
# After a job was locked by another transaction, settlements wait less for locks for some time, because all other
# jobs wait meanwhile.
_CAREFUL_SECONDS, _SHORT_LOCK_SECONDS = 60.0, 0.2


@dataclass(frozen=True, slots=True)
class JobResult:
    """The result of a handler whose job is done; the effect runs in the transaction that settles the job."""

    effect: Callable[[Connection], None] | None = None


@dataclass(frozen=True, slots=True)
class Settlement:
    """A job to be settled, as done or as failed."""

    lease: Lease
    finished: JobResult | None = None
    failure: Failure | None = None
    seconds: float = 0.0


class SettlementQueue:
    """A thread that settles ended jobs in batches: at 100 jobs, after 50 ms, or when no other job runs."""

    def __init__(
        self,
        db: Database,
        count_leases: Callable[[], int],
        on_settled: Callable[[Sequence[Lease]], None],
        lost: threading.Event,
    ) -> None:
        self._db = db
        self._count_leases = count_leases
        self._on_settled = on_settled
        self._lost = lost
        self._ended: list[Settlement] = []
        self._waiting_since = 0.0
        self._changed = threading.Condition()
        self._closing = False
        self._careful_until = float("-inf")
        self._thread = threading.Thread(target=self._run, name="settlements", daemon=True)

    def start(self) -> None:
        """Start the thread that settles."""
        self._thread.start()

    def add(self, settlement: Settlement) -> None:
        """Queue a job for settlement; its slot becomes free when it has been settled."""
        with self._changed:
            if not self._ended:
                self._waiting_since = clock.monotonic()
            self._ended.append(settlement)
            if len(self._ended) in (1, MAX_BATCH_SIZE) or self._is_complete():
                self._changed.notify()

    def close(self) -> None:
        """Settle the remaining jobs and end the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while batch := self._wait_for_batch():
            self._settle(batch)

    def _wait_for_batch(self) -> list[Settlement]:
        """Wait for the next batch and return it; an empty batch means that the thread must end."""
        with self._changed:
            while not self._is_due():
                self._changed.wait(self._get_timeout())
            batch, self._ended = self._ended[:MAX_BATCH_SIZE], self._ended[MAX_BATCH_SIZE:]
            return batch

    def _is_due(self) -> bool:
        if not self._ended:
            return self._closing
        return self._is_complete() or clock.monotonic() - self._waiting_since >= LINGER_SECONDS

    def _is_complete(self) -> bool:
        """Return whether waiting longer is useless: full batch, no other running job, or shutdown."""
        return self._closing or len(self._ended) >= min(MAX_BATCH_SIZE, self._count_leases())

    def _get_timeout(self) -> float | None:
        return max(0.0, self._waiting_since + LINGER_SECONDS - clock.monotonic()) if self._ended else None

    def _settle(self, batch: Sequence[Settlement]) -> None:
        """Settle a batch; while the database is unavailable, retry until the leases are lost."""
        pause = _MIN_PAUSE
        while True:
            try:
                return self._settle_now(batch)
            except Unavailable as error:
                log.warn("not_settled_yet", jobs=len(batch), error=str(error).strip())
            if self._lost.wait(pause):
                return self._release(batch)
            pause = min(2 * pause, _MAX_PAUSE)

    def _settle_now(self, batch: Sequence[Settlement]) -> None:
        try:
            with self._db.transaction() as conn:
                if clock.monotonic() < self._careful_until:
                    set_lock_timeout(conn, _SHORT_LOCK_SECONDS)
                settle_batch(conn, batch)
        except Locked as error:
            self._careful_until = clock.monotonic() + _CAREFUL_SECONDS
            return self._put_back(batch[0]) if len(batch) == 1 else self._settle_individually(batch, error)
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001 (an effect may raise any error; the other jobs must be settled)
            return self._postpone(batch[0], error) if len(batch) == 1 else self._settle_individually(batch, error)
        return self._release(batch)

    def _settle_individually(self, batch: Sequence[Settlement], error: Exception) -> None:
        log.warn("batch_settled_individually", jobs=len(batch), error=f"{type(error).__name__}: {error}".strip())
        for settlement in batch:
            self._settle([settlement])

    def _put_back(self, settlement: Settlement) -> None:
        """Let a locked job wait in the queue; its result is computed again when the lock is gone."""
        put_back(self._db, settlement.lease)
        self._release([settlement])

    def _release(self, batch: Sequence[Settlement]) -> None:
        # With one call per job, the worker would wake up after the first and claim for a single free slot.
        self._on_settled([settlement.lease for settlement in batch])

    def _postpone(self, settlement: Settlement, error: Exception) -> None:
        """After an error, settle a successful job as failed, or retry settling a failed job later."""
        log.fail("job_not_settled", error, job=settlement.lease.job_id)
        if self._lost.is_set():
            return self._release([settlement])
        if settlement.failure is None:
            failure = Retry("internal", f"The result of the job could not be saved: {type(error).__name__}: {error}")
            return self.add(Settlement(settlement.lease, failure=failure, seconds=settlement.seconds))
        timer = threading.Timer(_MIN_PAUSE, self.add, (settlement,))
        timer.daemon = True
        return timer.start()


def settle_batch(conn: Connection, batch: Sequence[Settlement]) -> None:
    """Settle a batch in the caller's transaction; effects run only for accepted jobs."""
    done = [one for one in batch if one.finished is not None]
    accepted = queue.settle(conn, [Completion(one.lease) for one in done])
    for one in done:
        if one.lease.job_id not in accepted:
            steps.refuse(conn, one.lease)
        elif one.finished is not None and one.finished.effect is not None:
            one.finished.effect(conn)
    for one in batch:
        if one.failure is not None:
            steps.fail(conn, one.lease, one.failure, one.seconds)
